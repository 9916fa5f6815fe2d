use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The fields of a request, in their order; none twice.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut fields, mut names) = (Vec::new(), BTreeSet::new());
                while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    fields.push((name, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// The arguments of a request without those that are `null`, which are as good as absent.
pub(super) fn given(args: Option<&RawValue>) -> Result<Cow<'_, str>, serde_json::Error> {
    let Some(text) = args.map(RawValue::get) else { return Ok("{}".into()) };
    if !text.contains("null") {
        return Ok(text.into());
    }
    let Fields(fields) = serde_json::from_str(text)?;
    let given = fields.into_iter().filter(|(_, value)| value.get() != "null");
    let given = given.map(|(name, value)| {
        let name = serde_json::to_string(&name)?;
        Ok(format!("{name}:{}", value.get()))
    });
    let given = given.collect::<Result<Vec<_>, serde_json::Error>>()?;
    Ok(format!("{{{}}}", given.join(",")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given_in(text: &str) -> Result<String, String> {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        given(Some(&raw)).map(Cow::into_owned).map_err(|error| error.to_string())
    }

    #[test]
    fn null_is_absent_and_a_field_that_is_repeated_is_refused() {
        assert_eq!(given(None).unwrap(), "{}");
        assert_eq!(given_in(r#"{"a":1,"b":null, "c":"null"}"#), Ok(r#"{"a":1,"c":"null"}"#.into()));
        assert_eq!(given_in(r#"{"a": null}"#), Ok("{}".into()));
        // What is within a value is for its type to read.
        assert_eq!(given_in(r#"{"a":{"b":null}}"#), Ok(r#"{"a":{"b":null}}"#.into()));
        assert_eq!(given_in(r#"{"\u0061":null,"b":1.50}"#), Ok(r#"{"b":1.50}"#.into()));
        let repeated = given_in(r#"{"a":null,"a":1}"#).unwrap_err();
        assert!(repeated.starts_with("duplicate field `a`"), "{repeated}");
        assert!(given_in("[null]").is_err());
    }
}

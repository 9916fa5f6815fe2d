use std::fmt;

/// The version of a git program, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl Version {
    /// The oldest git that is known to do what is asked of it.
    pub const OLDEST: Self = Self { major: 2, minor: 30 };

    /// The version that `git --version` tells, such as `git version 2.39.5 (Apple Git-154)`.
    pub(super) fn told(told: &str) -> Option<Self> {
        let mut numbers = told.strip_prefix("git version ")?.split(['.', ' ', '\n']);
        let mut next = || numbers.next()?.parse().ok();
        Some(Self { major: next()?, minor: next()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_any_git_says_of_itself() {
        for (told, version) in [
            ("git version 2.47.3\n", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)\n", Some((2, 39))),
            ("git version 2.30.GIT\n", Some((2, 30))),
            ("git version 2.46.0.windows.1\n", Some((2, 46))),
            ("git, a fake\n", None),
        ] {
            let version = version.map(|(major, minor)| Version { major, minor });
            assert_eq!(Version::told(told), version, "{told}");
        }
    }
}

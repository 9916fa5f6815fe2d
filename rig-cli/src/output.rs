//! Everything that is printed: data on standard output, the rest on standard error.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{Cell, Color, ContentArrangement, Table, presets};
use serde::Serialize;
use serde_json::Value;

use crate::error::{CliError, Told};

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) color: ColorChoice,
    pub(crate) no_color: bool,
}

/// What can be shown to people; its JSON form is for programs.
pub(crate) trait Show: Serialize {
    /// Writes it for people.
    fn show(&self, page: &mut Page);
}

/// What is to be printed for people.
#[derive(Debug, Default)]
pub(crate) struct Page {
    bytes: Vec<u8>,
    color: bool,
}

impl Page {
    /// Adds a line of text.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.bytes.extend_from_slice(one_line(text.as_ref()).as_bytes());
        self.bytes.push(b'\n');
    }

    /// Adds a path on a line of its own, byte for byte.
    pub(crate) fn path(&mut self, path: &Path) {
        self.bytes.extend_from_slice(path.as_os_str().as_bytes());
        self.bytes.push(b'\n');
    }

    /// Adds text that is laid out already, such as a script.
    pub(crate) fn raw(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
    }

    /// Adds labels and values, one below the other.
    pub(crate) fn details(&mut self, details: &[(&str, String)]) {
        let width = details.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
        for (label, value) in details {
            self.line(format!("{label:width$}  {value}"));
        }
    }

    /// Adds a table; nothing at all if it has no rows.
    pub(crate) fn table<const N: usize>(&mut self, header: [&str; N], rows: Vec<[String; N]>) {
        if rows.is_empty() {
            return;
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        if self.color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table.set_header(header.map(|text| Cell::new(text).fg(Color::DarkGrey)));
        for row in rows {
            table.add_row(row.map(|text| {
                let text = one_line(&text);
                match color_of(&text) {
                    Some(color) => Cell::new(text).fg(color),
                    None => Cell::new(text),
                }
            }));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        for line in table.lines() {
            self.bytes.extend_from_slice(line.trim_end().as_bytes());
            self.bytes.push(b'\n');
        }
    }
}

/// Words that catch the eye in a table.
fn color_of(text: &str) -> Option<Color> {
    match text {
        "ready" | "copied" | "supported" => Some(Color::Green),
        "failed" | "missing" => Some(Color::Red),
        "initializing" | "archiving" => Some(Color::Yellow),
        "archived" | "unchanged" | "skipped" => Some(Color::DarkGrey),
        _ => None,
    }
}

impl Output {
    /// Shows a value: one JSON document, or what people read.
    pub(crate) fn show(self, value: &impl Show) -> Result<(), CliError> {
        if self.json {
            return self.document(value);
        }
        let mut page = Page { bytes: Vec::new(), color: self.colors(io::stdout().is_terminal()) };
        value.show(&mut page);
        self.bytes(&page.bytes)
    }

    /// Prints a value as one JSON document, asked for or not.
    pub(crate) fn document(self, value: &impl Serialize) -> Result<(), CliError> {
        let text = if io::stdout().is_terminal() {
            serde_json::to_string_pretty(value)
        } else {
            serde_json::to_string(value)
        };
        let text = text.map_err(|error| CliError::new("internal", error.to_string()))?;
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Writes bytes to standard output.
    #[allow(clippy::unused_self)] // There is one way out, and it is here.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        Ok(out.flush()?)
    }

    /// Tells something on standard error, unless asked to be quiet.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.aside("note", AnsiColor::Cyan, text);
        }
    }

    /// Warns on standard error, unless asked to be quiet.
    pub(crate) fn warn(self, text: &str) {
        if !self.quiet {
            self.aside("warning", AnsiColor::Yellow, text);
        }
    }

    fn aside(self, label: &str, color: AnsiColor, text: &str) {
        let label = self.styled(label, color);
        // Nothing sensible can be done if standard error is closed.
        let _ = writeln!(io::stderr(), "{label}: {}", printable(text));
    }

    /// Tells an error: JSON on standard output if that was asked for, else text on standard error.
    pub(crate) fn error(self, told: &Told) -> Result<(), CliError> {
        if self.json {
            return self.document(&ErrorDocument::new(told));
        }
        let mut text =
            format!("{}: {}", self.styled("error", AnsiColor::Red), printable(&told.message));
        for cause in &told.causes {
            let _ = write!(text, "\n  caused by: {}", printable(cause));
        }
        for (label, value) in &told.facts {
            let _ = write!(text, "\n  {label}: {}", printable(value));
        }
        if let Some(hint) = &told.hint {
            let _ = write!(text, "\n{}: {}", self.styled("hint", AnsiColor::Cyan), printable(hint));
        }
        let _ = writeln!(io::stderr(), "{text}");
        Ok(())
    }

    /// Whether progress may be drawn on standard error.
    pub(crate) fn draws_progress(self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    fn styled(self, text: &str, color: AnsiColor) -> String {
        if !self.colors(io::stderr().is_terminal()) {
            return text.to_owned();
        }
        let style = Style::new().bold().fg_color(Some(color.into()));
        format!("{style}{text}{style:#}")
    }

    fn colors(self, terminal: bool) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !self.no_color,
        }
    }
}

/// An error as JSON.
#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: ErrorFields<'a>,
}

#[derive(Serialize)]
struct ErrorFields<'a> {
    code: &'a str,
    message: String,
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a Value>,
}

impl<'a> ErrorDocument<'a> {
    /// The causes are part of the message.
    fn new(told: &'a Told) -> Self {
        let mut message = told.message.clone();
        for cause in &told.causes {
            let _ = write!(message, ": {cause}");
        }
        let (hint, detail) = (told.hint.as_deref(), told.detail.as_ref());
        Self { error: ErrorFields { code: &told.code, message, hint, detail } }
    }
}

/// Text that cannot command the terminal: control characters but line feeds are escaped.
fn printable(text: &str) -> String {
    escaped(text, |c| c.is_control() && c != '\n')
}

/// Text that cannot command the terminal and stays on its line.
pub(crate) fn one_line(text: &str) -> String {
    escaped(text, char::is_control)
}

fn escaped(text: &str, harmful: impl Fn(char) -> bool) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if harmful(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
        shown
    })
}

/// A value of which people see nothing: what they asked for is done.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Quiet<T>(pub(crate) T);

impl<T: Serialize> Show for Quiet<T> {
    fn show(&self, _page: &mut Page) {}
}

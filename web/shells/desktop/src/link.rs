use url::Url;

use crate::address::{has_plain_host, host_text};

const PREFIX: &str = "fanfare://";
const MAX_LINK: usize = 500;
const CODE_CHARS: std::ops::RangeInclusive<usize> = 6..=32;
const ID_CHARS: usize = 24;

/// A place on a server, from a link such as `fanfare://chat.example.com/invite/abc`.
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Link {
    /// Host, and port if it has one.
    pub host: String,
    /// Path and query. Only pages that are safe to open without a question.
    pub path: String,
}

/// The rules are those of `chooser/link.ts`; both are tested with `chooser/links.json`.
pub fn parse_link(text: &str) -> Option<Link> {
    if text.len() > MAX_LINK {
        return None;
    }
    let rest = text
        .get(..PREFIX.len())
        .filter(|start| start.eq_ignore_ascii_case(PREFIX))
        .map(|_| &text[PREFIX.len()..])?;
    // Only URLs of known schemes have a normalized host. More slashes after the scheme would be ignored.
    if rest.starts_with(['/', '\\']) {
        return None;
    }
    let url = Url::parse(&format!("https://{rest}")).ok()?;
    if !url.username().is_empty() || url.password().is_some() || !has_plain_host(&url) {
        return None;
    }
    let segments: Vec<&str> = url.path_segments()?.collect();
    let is_known = match segments.as_slice() {
        [""] | ["inbox"] | ["direct"] => true,
        ["direct", id] | ["groups", id] | ["groups", id, "channels"] => is_id(id),
        ["groups", group, "channels", channel] => is_id(group) && is_id(channel),
        ["invite", code] => is_code(code),
        _ => false,
    };
    if !is_known {
        return None;
    }
    let query: Vec<String> = ["thread", "message"]
        .into_iter()
        .filter_map(|name| {
            let (_, id) = url.query_pairs().find(|(key, _)| key == name)?;
            is_id(&id).then(|| format!("{name}={id}"))
        })
        .collect();
    let path =
        if query.is_empty() { url.path().to_string() } else { format!("{}?{}", url.path(), query.join("&")) };
    Some(Link { host: host_text(&url), path })
}

fn is_id(text: &str) -> bool {
    text.len() == ID_CHARS && text.chars().all(|char| matches!(char, '0'..='9' | 'a'..='f'))
}

fn is_code(text: &str) -> bool {
    CODE_CHARS.contains(&text.len())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        link: String,
        host: Option<String>,
        path: Option<String>,
    }

    #[test]
    fn parses_as_the_chooser_does() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../../chooser/links.json")).unwrap();
        assert!(cases.len() > 10);
        for Case { link, host, path } in cases {
            let expected = host.zip(path).map(|(host, path)| Link { host, path });
            assert_eq!(parse_link(&link), expected, "{link}");
        }
    }
}

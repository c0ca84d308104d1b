use url::Url;

/// The longest host name of the DNS.
const MAX_HOST: usize = 253;

/// The address of a server in the form in which it is remembered: scheme, host and port, nothing else.
pub fn parse_origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none();
    (matches!(url.scheme(), "https" | "http") && is_plain && has_plain_host(&url)).then_some(url)
}

/// URLs also accept characters such as `*` in hosts, which are wildcards in the patterns of capabilities.
pub fn has_plain_host(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let is_name = !host.is_empty()
        && host.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-'));
    let is_v6 = matches!(url.host(), Some(url::Host::Ipv6(_)));
    host.len() <= MAX_HOST && (is_name || is_v6)
}

/// Without the slash with which URLs end.
pub fn origin_text(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// As in the links of the app: the host, and the port if it is not the scheme's.
pub fn host_text(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_string(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_origins() {
        for text in
            ["https://chat.example.com", "http://localhost:3000/", "https://[::1]:8443", "http://10.0.0.7"]
        {
            assert_eq!(
                parse_origin(text).map(|url| origin_text(&url)).as_deref(),
                Some(text.trim_end_matches('/')),
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "chat.example.com",
            "ftp://chat.example.com",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://user@chat.example.com",
            "https://chat.example.com/groups",
            "https://chat.example.com/?a=1",
            "https://chat.example.com/#a",
            "https://*.example.com",
            "https://chat.{com}",
            "https://",
        ] {
            assert_eq!(parse_origin(text), None, "{text}");
        }
    }

    #[test]
    fn drops_the_default_port() {
        assert_eq!(host_text(&parse_origin("https://chat.example.com:443").unwrap()), "chat.example.com");
        assert_eq!(host_text(&parse_origin("http://[::1]:3000").unwrap()), "[::1]:3000");
    }
}

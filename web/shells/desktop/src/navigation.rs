use std::time::{Duration, Instant};

use url::Url;

/// A login at another site takes no longer than its cookie lives.
const SIGN_ON: Duration = Duration::from_secs(10 * 60);
const SIGN_ON_PATH: &str = "/auth/oidc/start";

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Decision {
    /// In the window.
    Load,
    /// In the person's browser or mail program.
    Outside,
    Refuse,
}

/// Decides what the window loads: pages of the chosen server, and during a single sign-on those of the provider.
#[derive(Default)]
pub struct Navigation {
    server: Option<Url>,
    expects_chooser: bool,
    sign_on_ends: Option<Instant>,
}

impl Navigation {
    pub fn server(&self) -> Option<&Url> {
        self.server.as_ref()
    }

    /// Call this before the window opens the server's page.
    pub fn choose(&mut self, server: Url) {
        *self = Self { server: Some(server), ..Self::default() };
    }

    /// Call this before the window opens the chooser: pages of a server cannot open it.
    pub fn expect_chooser(&mut self) {
        self.expects_chooser = true;
    }

    pub fn is_server(&self, url: &Url) -> bool {
        self.server.as_ref().is_some_and(|server| server.origin() == url.origin())
    }

    pub fn decide(&mut self, url: &Url, now: Instant) -> Decision {
        if is_chooser(url) {
            let is_expected = self.expects_chooser || self.server.is_none();
            self.expects_chooser = false;
            if is_expected {
                self.server = None;
            }
            return if is_expected { Decision::Load } else { Decision::Refuse };
        }
        if self.is_server(url) {
            // Blob URLs have the origin of the page that created them.
            if url.scheme() != "blob" {
                self.follow_sign_on(url.path(), now);
            }
            return Decision::Load;
        }
        match url.scheme() {
            "about" => Decision::Load,
            scheme if self.signs_on_by(scheme) && self.sign_on_ends.is_some_and(|ends| now < ends) => {
                Decision::Load
            }
            _ => new_window(url),
        }
    }

    /// A provider without encryption is only for a server that has none either.
    fn signs_on_by(&self, scheme: &str) -> bool {
        scheme == "https"
            || (scheme == "http" && self.server.as_ref().is_some_and(|url| url.scheme() == "http"))
    }

    fn follow_sign_on(&mut self, path: &str, now: Instant) {
        if path == SIGN_ON_PATH {
            self.sign_on_ends = Some(now + SIGN_ON);
        } else if !path.starts_with("/auth/") {
            self.sign_on_ends = None;
        }
    }
}

/// Windows that a page opens: the app has one only.
pub fn new_window(url: &Url) -> Decision {
    match url.scheme() {
        "https" | "http" | "mailto" | "tel" => Decision::Outside,
        _ => Decision::Refuse,
    }
}

/// The page inside the app. Also without the slash, as it is opened first.
pub const CHOOSER: &str = if cfg!(windows) { "http://tauri.localhost" } else { "tauri://localhost" };

fn is_chooser(url: &Url) -> bool {
    url.as_str()
        .strip_prefix(CHOOSER)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(server: &str) -> Navigation {
        let mut navigation = Navigation::default();
        navigation.choose(Url::parse(server).unwrap());
        navigation
    }

    fn decide(navigation: &mut Navigation, url: &str) -> Decision {
        navigation.decide(&Url::parse(url).unwrap(), Instant::now())
    }

    #[test]
    fn loads_only_the_chosen_server() {
        let mut navigation = at("https://chat.example.com");
        for url in ["https://chat.example.com/login", "blob:https://chat.example.com/1234", "about:srcdoc"] {
            assert_eq!(decide(&mut navigation, url), Decision::Load, "{url}");
        }
        for url in [
            "https://example.com/",
            "http://chat.example.com/",
            "https://chat.example.com:8443/",
            "https://chat.example.com.evil.example/",
            "mailto:ada@example.com",
        ] {
            assert_eq!(decide(&mut navigation, url), Decision::Outside, "{url}");
        }
        for url in
            ["file:///etc/passwd", "data:text/html,a", "javascript:alert(1)", "blob:https://evil.example/1"]
        {
            assert_eq!(decide(&mut navigation, url), Decision::Refuse, "{url}");
        }
    }

    #[test]
    fn the_chooser_loads_first() {
        for end in ["", "/", "/index.html", "/#add=a"] {
            let url = format!("{CHOOSER}{end}");
            assert_eq!(decide(&mut Navigation::default(), &url), Decision::Load, "{url}");
        }
        assert_ne!(decide(&mut Navigation::default(), &format!("{CHOOSER}.evil.example/")), Decision::Load);
    }

    #[test]
    fn a_server_cannot_open_the_chooser() {
        let mut navigation = at("https://chat.example.com");
        assert_eq!(decide(&mut navigation, CHOOSER), Decision::Refuse);
        navigation.expect_chooser();
        assert_eq!(decide(&mut navigation, &format!("{CHOOSER}/#add")), Decision::Load);
        assert_eq!(decide(&mut navigation, "https://chat.example.com/"), Decision::Outside);
    }

    #[test]
    fn the_provider_loads_only_during_a_sign_on() {
        let mut navigation = at("https://chat.example.com");
        assert_eq!(decide(&mut navigation, "https://login.example.org/"), Decision::Outside);
        decide(&mut navigation, "https://chat.example.com/auth/oidc/start?provider=work");
        assert_eq!(decide(&mut navigation, "https://login.example.org/authorize"), Decision::Load);
        assert_eq!(decide(&mut navigation, "http://login.example.org/authorize"), Decision::Outside);
        assert_eq!(decide(&mut navigation, "file:///etc/passwd"), Decision::Refuse);
        decide(&mut navigation, "https://chat.example.com/auth/oidc/callback?code=a");
        decide(&mut navigation, "https://chat.example.com/login#oidcCode=a");
        assert_eq!(decide(&mut navigation, "https://login.example.org/"), Decision::Outside);
    }

    #[test]
    fn a_sign_on_ends() {
        let mut navigation = at("https://chat.example.com");
        let start = Instant::now();
        navigation.decide(&Url::parse("https://chat.example.com/auth/oidc/start").unwrap(), start);
        let provider = Url::parse("https://login.example.org/").unwrap();
        assert_eq!(navigation.decide(&provider, start + SIGN_ON), Decision::Outside);
    }
}

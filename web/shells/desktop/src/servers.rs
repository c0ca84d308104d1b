use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::address::{host_text, parse_origin};

pub const MAX_SERVERS: usize = 20;
const MAX_NAME_CHARS: usize = 60;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub origin: String,
    pub name: String,
}

/// The servers that the person has added, and the one to open on the next start.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers {
    pub current: Option<String>,
    pub list: Vec<Server>,
}

impl Servers {
    /// A missing or damaged file means none: the chooser asks again. A damaged one is kept under another name.
    pub fn load(file: &Path) -> Self {
        let read = fs::read(file).and_then(|text| serde_json::from_slice(&text).map_err(io::Error::from));
        let mut servers: Self = read.unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                eprintln!("{} cannot be read: {error}", file.display());
                let _ = fs::rename(file, file.with_extension("damaged"));
            }
            Self::default()
        });
        servers.list.retain(|server| parse_origin(&server.origin).is_some());
        servers.list.truncate(MAX_SERVERS);
        let is_listed = |origin: &String| servers.list.iter().any(|server| server.origin == *origin);
        servers.current = servers.current.take().filter(is_listed);
        servers
    }

    /// Replaces the file at once, so that a crash leaves the old or the new one.
    pub fn save(&self, file: &Path) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = file.with_extension("new");
        fs::write(&new, serde_json::to_vec_pretty(self)?)?;
        fs::rename(new, file)
    }

    /// Adds it unless it is there, and makes it the current one.
    pub fn choose(&mut self, server: Server) -> Result<(), &'static str> {
        let name: String = server.name.chars().take(MAX_NAME_CHARS).collect();
        if let Some(known) = self.list.iter_mut().find(|known| known.origin == server.origin) {
            known.name = name;
        } else if self.list.len() < MAX_SERVERS {
            self.list.push(Server { origin: server.origin.clone(), name });
        } else {
            return Err("tooMany");
        }
        self.current = Some(server.origin);
        Ok(())
    }

    pub fn remove(&mut self, origin: &str) {
        self.list.retain(|server| server.origin != origin);
        if self.current.as_deref() == Some(origin) {
            self.current = None;
        }
    }

    pub fn is_listed(&self, origin: &str) -> bool {
        self.list.iter().any(|server| server.origin == origin)
    }

    /// The same address can be there with and without encryption.
    pub fn find_by_host(&self, host: &str) -> Option<&Server> {
        self.list
            .iter()
            .filter(|server| parse_origin(&server.origin).is_some_and(|url| host_text(&url) == host))
            .max_by_key(|server| server.origin.starts_with("https:"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(origin: &str) -> Server {
        Server { origin: origin.into(), name: "Chat".into() }
    }

    #[test]
    fn survives_a_restart() {
        let folder = std::env::temp_dir().join(format!("fanfare-servers-{}", std::process::id()));
        let file = folder.join("servers.json");
        let mut servers = Servers::default();
        servers.choose(server("https://one.example")).unwrap();
        servers.choose(server("http://two.example:3000")).unwrap();
        servers.save(&file).unwrap();
        assert_eq!(Servers::load(&file), servers);
        assert_eq!(servers.current.as_deref(), Some("http://two.example:3000"));
        fs::write(&file, "{").unwrap();
        assert_eq!(Servers::load(&file), Servers::default());
        assert_eq!(fs::read_to_string(file.with_extension("damaged")).unwrap(), "{");
        fs::write(&file, r#"{"current":"file:///a","list":[{"origin":"file:///a","name":"a"}]}"#).unwrap();
        assert_eq!(Servers::load(&file), Servers::default());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn lists_each_server_once_and_not_too_many() {
        let mut servers = Servers::default();
        for number in 0..MAX_SERVERS {
            servers.choose(server(&format!("https://{number}.example"))).unwrap();
        }
        servers.choose(server("https://0.example")).unwrap();
        assert_eq!(servers.choose(server("https://more.example")), Err("tooMany"));
        servers.remove("https://0.example");
        assert_eq!(servers.current, None);
        assert_eq!(servers.list.len(), MAX_SERVERS - 1);
    }

    #[test]
    fn finds_the_server_of_a_link() {
        let mut servers = Servers::default();
        servers.choose(server("http://localhost:3000")).unwrap();
        assert_eq!(servers.find_by_host("localhost:3000"), Some(&server("http://localhost:3000")));
        assert_eq!(servers.find_by_host("localhost"), None);
        servers.choose(server("https://localhost:3000")).unwrap();
        servers.choose(server("http://one.example")).unwrap();
        assert_eq!(servers.find_by_host("localhost:3000"), Some(&server("https://localhost:3000")));
    }
}

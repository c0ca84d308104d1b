use std::{collections::HashMap, sync::LazyLock};

type Texts = HashMap<String, HashMap<String, String>>;

/// The texts of the menu in the person's language. They are in one file with those of the chooser.
pub struct MenuTexts(HashMap<String, String>);

static OF_SYSTEM: LazyLock<MenuTexts> =
    LazyLock::new(|| MenuTexts::of(&sys_locale::get_locale().unwrap_or_default()));

impl MenuTexts {
    pub fn of_system() -> &'static Self {
        &OF_SYSTEM
    }

    fn of(locale: &str) -> Self {
        let mut all: Texts =
            serde_json::from_str(include_str!("../../chooser/texts.json")).expect("texts.json is valid");
        let language = locale.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        Self(all.remove(&language).or_else(|| all.remove("en")).unwrap_or_default())
    }

    pub fn get(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_the_texts_of_the_menu() {
        for locale in ["en-GB", "de_DE", "zh-Hans-CN", "ar", "es", "fr", "ja", "pt-BR", "xx", ""] {
            let texts = MenuTexts::of(locale);
            for key in ["show", "servers", "add", "quit"] {
                assert!(!texts.get(key).is_empty(), "{locale} {key}");
            }
        }
    }
}

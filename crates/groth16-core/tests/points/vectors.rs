//! The published values of `vectors/cases/vectors.json`.

use std::collections::HashMap;

/// Every row, by its name.
pub struct Vectors(HashMap<String, String>);

impl Vectors {
    pub fn load() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/cases/vectors.json");
        let text = std::fs::read_to_string(path).expect("vectors.json");
        Vectors(serde_json::from_str(&text).expect("a map of strings"))
    }

    /// The row whose name is `name`, or begins with it up to a blank.
    pub fn get(&self, name: &str) -> &str {
        let exact = self.0.get(name);
        let by_prefix = || {
            self.0
                .iter()
                .find(|(key, _)| key.split(' ').next() == Some(name))
                .map(|(_, value)| value)
        };
        exact
            .or_else(by_prefix)
            .unwrap_or_else(|| panic!("no vector {name}"))
    }
}

pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

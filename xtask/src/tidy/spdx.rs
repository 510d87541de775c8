//! Licence expressions: `OR`, `AND`, `WITH`, parentheses, and the old `/` for `OR`.

use crate::Result;

/// Whether the licences in `allowed` (each an id, or `id WITH exception`) are enough to use the work.
pub(super) fn satisfied(expression: &str, allowed: &[&str]) -> Result<bool> {
    let tokens = tokens(expression);
    let mut parser = Parser {
        tokens: &tokens,
        allowed,
    };
    let verdict = parser.any().and_then(|verdict| match parser.tokens {
        [] => Ok(verdict),
        [token, ..] => Err(format!("unexpected `{token}`")),
    });
    verdict.map_err(|problem| format!("licence expression `{expression}`: {problem}"))
}

fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<'a> {
    tokens: &'a [String],
    allowed: &'a [&'a str],
}

impl Parser<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.tokens.first().is_some_and(|token| token == word);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn id(&mut self) -> Result<String> {
        let (first, rest) = self
            .tokens
            .split_first()
            .ok_or("ends where a licence should stand")?;
        if ["OR", "AND", "WITH", "(", ")"].contains(&first.as_str()) {
            return Err(format!("`{first}` where a licence should stand"));
        }
        self.tokens = rest;
        Ok(first.clone())
    }

    fn any(&mut self) -> Result<bool> {
        let mut verdict = self.all()?;
        while self.take("OR") {
            verdict |= self.all()?;
        }
        Ok(verdict)
    }

    fn all(&mut self) -> Result<bool> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    fn one(&mut self) -> Result<bool> {
        if self.take("(") {
            let verdict = self.any()?;
            return if self.take(")") {
                Ok(verdict)
            } else {
                Err("a parenthesis is not closed".to_owned())
            };
        }
        let mut licence = self.id()?;
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.id()?);
        }
        Ok(self.allowed.contains(&licence.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: &[&str] = &["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];

    #[test]
    fn one_allowed_alternative_is_enough() {
        for expression in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
        ] {
            assert_eq!(satisfied(expression, ALLOWED), Ok(true), "{expression}");
        }
        assert_eq!(
            satisfied("Apache-2.0 WITH LLVM-exception OR GPL-2.0", ALLOWED),
            Ok(true)
        );
    }

    #[test]
    fn every_part_of_a_conjunction_is_needed() {
        for expression in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0",
            "MIT WITH LLVM-exception",
            "MIT AND (GPL-3.0 OR LGPL-3.0)",
        ] {
            assert_eq!(satisfied(expression, ALLOWED), Ok(false), "{expression}");
        }
        // AND binds tighter than OR.
        assert_eq!(satisfied("MIT OR GPL-3.0 AND LGPL-3.0", ALLOWED), Ok(true));
    }

    #[test]
    fn a_malformed_expression_is_an_error() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT MIT", "OR MIT", "MIT WITH"] {
            assert!(satisfied(expression, ALLOWED).is_err(), "{expression}");
        }
    }
}

//! The scalar `Bytes`.

use std::fmt::Display;

use base64::Engine;
use base64::display::Base64Display;
use base64::prelude::BASE64_STANDARD;

use super::text::{TextScalar, text_scalar};

text_scalar!(
    Bytes(Vec<u8>),
    "Bytes in base64, as RFC 4648 defines it, with padding.",
    "https://www.rfc-editor.org/rfc/rfc4648"
);

impl TextScalar for Bytes {
    const EXPECTED: &str = "expected bytes in base64";

    fn read(text: &str) -> Option<Self> {
        BASE64_STANDARD.decode(text).ok().map(Self)
    }

    fn text(&self) -> impl Display {
        Base64Display::new(&self.0, &BASE64_STANDARD)
    }
}

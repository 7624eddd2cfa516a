#![no_main]
//! Whatever text is opened: a key whose one text it is, or an error.

use libfuzzer_sys::fuzz_target;

#[path = "../order.rs"]
mod order;

fuzz_target!(|text: &str| {
    let order = order::order();
    if let Ok(key) = order.open(text) {
        assert_eq!(order.seal(&key).expect("an opened key").as_str(), text);
    }
});

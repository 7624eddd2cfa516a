#![no_main]
//! Every text that opens is the cursor of its key. No text panics.

use libfuzzer_sys::fuzz_target;

#[path = "../order.rs"]
mod order;

fuzz_target!(|text: &str| {
    let order = order::order();
    if let Ok(key) = order.open(text) {
        assert_eq!(order.seal(&key).expect("an opened key").as_str(), text);
    }
});

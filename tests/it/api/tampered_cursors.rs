//! Cursors that no server wrote.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sea_orm::DbBackend;

use crate::support::shop::{SMALL, Shop};

/// SQLite stores no NaN: this server wrote no cursor with one there.
#[tokio::test]
async fn e2_a_forged_nan_is_refused_where_no_row_can_have_it() {
    let shop = Shop::new(SMALL).await;
    let order = "orderBy: [{ field: AVERAGE_RATING, direction: ASC }]";
    let page = shop.data(&format!("{{ books(first: 1, {order}) {{ edges {{ cursor }} }} }}")).await;
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(page["books"]["edges"][0]["cursor"].as_str().unwrap()).unwrap();
    // After the version and the fingerprint: the tag of a double, and the double.
    assert_eq!(bytes[3], 24);
    bytes[4..12].copy_from_slice(&f64::NAN.to_be_bytes());
    let forged = BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let query = format!("{{ books(after: \"{forged}\", {order}) {{ pageInfo {{ hasPreviousPage }} }} }}");
    if shop.db.writer.get_database_backend() == DbBackend::Sqlite {
        assert_eq!(shop.code(&query).await, "CURSOR_INVALID");
    } else {
        assert_eq!(shop.data(&query).await["books"]["pageInfo"]["hasPreviousPage"], true);
    }
}

//! Tokens, by the program as it is started.

use std::fs;

use serde_json::json;
use testdb::TestDb;

use super::{READ, SECRET, WRITE, bearer, request, token};
use crate::support::program::Program;
use crate::support::station;
use crate::support::wire::ask;

#[tokio::test]
async fn the_secret_is_in_the_environment_or_in_a_file_and_never_in_the_log() {
    let test = TestDb::new().await;
    let path = std::env::temp_dir().join(format!("bookends-jwt-{}", std::process::id()));
    fs::write(&path, format!("{SECRET}\n")).unwrap();
    let file = path.to_str().unwrap().to_owned();
    for (name, value) in [("JWT_SECRET", SECRET), ("JWT_SECRET_FILE", &file)] {
        let mut command = station::program(&test.url);
        let program = Program::start(command.env_remove("SAMPLE").env(name, value).args(["--log", "trace"]));
        let address = program.address();
        let good = token(json!({ "sub": "subject-of-the-tests" }));
        for (headers, document, expected) in [
            (bearer(&good), READ, 200),
            (bearer(&good), WRITE, 200),
            (bearer(&good[1..]), READ, 401),
            (String::new(), READ, 200),
        ] {
            let answer = ask(&address, request(&headers, document));
            assert_eq!(answer.status, expected, "{name} {headers}: {}", answer.body);
        }
        let log = program.end();
        assert!(log.contains("its token is invalid"), "{log}");
        for hidden in [SECRET, &good[..40], &good[good.len() - 20..], "subject-of-the-tests"] {
            assert!(!log.contains(hidden), "{hidden} is in {log}");
        }
    }
    fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_server_does_not_start_with_settings_that_contradict_each_other() {
    let test = TestDb::new().await;
    for (settings, reason) in [
        (&[("JWT_SECRET", "too short")][..], "JWT_SECRET is too short"),
        (&[("JWT_SECRET", SECRET), ("JWT_JWKS_URL", "http://localhost/keys")], "are both set"),
        (&[("JWT_AUDIENCE", "shop")], "JWT_AUDIENCE needs a key of tokens"),
        (&[("JWT_PUBLIC_KEY_FILE", "/does/not/exist")], "cannot read JWT_PUBLIC_KEY_FILE"),
        (&[("JWT_JWKS_URL", "ftp://localhost/keys")], "JWT_JWKS_URL"),
        (&[("PROXY_CLAIMS", "sub=X-User")], "PROXY_CLAIMS needs TRUSTED_PROXIES"),
        (&[("PROXY_CLAIMS", "sub")], "PROXY_CLAIMS"),
    ] {
        let mut command = station::program(&test.url);
        let ended = command.envs(settings.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(
            !ended.status.success() && said.contains(reason) && !said.contains("too short\""),
            "{settings:?}: {said}"
        );
        assert!(!said.contains(SECRET), "{said}");
    }
}

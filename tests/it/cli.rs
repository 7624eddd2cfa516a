//! The command line.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use testdb::TestDb;

use crate::docs::{block, read};
use crate::program::{Program, address_of, bookends};
use crate::wire::{ask, post};

/// What it prints. It must succeed.
#[track_caller]
pub fn succeeds(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// One line on stderr, no backtrace, a status that is not zero.
#[track_caller]
pub fn fails(command: &mut Command, text: &str) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let line = String::from_utf8(stderr).unwrap();
    assert!(!status.success() && stdout.is_empty());
    assert!(line.starts_with("bookends: ") && line.lines().count() == 1 && line.contains(text), "{line}");
    assert!(!line.contains("secret"), "{line}");
}

/// The total count of ratings on a server.
fn ratings(address: &str) -> String {
    ask(address, post(r#"{"query":"{ ratings(first: 1) { totalCount } }"}"#)).body
}

#[tokio::test]
async fn serve_fills_an_empty_database() {
    let test = TestDb::new().await;
    let fills = |said: &[String]| said.iter().any(|line| line == "ratings: 20,000 rows");
    let program = Program::start(&mut bookends(&test.url));
    let said = program.says_until("open http://");
    assert!(fills(&said), "{said:#?}");
    assert_eq!(ratings(&address_of(said.last().unwrap())), r#"{"data":{"ratings":{"totalCount":20000}}}"#);
    // SIGTERM is a clean exit.
    program.end();

    let again = Program::start(&mut bookends(&test.url));
    let said = again.says_until("open http://");
    assert!(!fills(&said), "a database with rows is not filled: {said:#?}");
}

/// The README's first query and its response.
#[tokio::test]
async fn the_readme_shows_the_response() {
    let readme = read("README.md");
    let shop = crate::shop::Shop::new(bookends::config::Plan::SAMPLE).await;
    let answer: serde_json::Value = serde_json::from_str(block(&readme, "json")).unwrap();
    assert_eq!(shop.data(block(&readme, "graphql")).await, answer["data"]);
}

/// Servers of a fleet may start at the same time.
#[tokio::test]
async fn two_servers_that_start_on_one_empty_database_fill_it_once() {
    let test = TestDb::new().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let servers = [(); 2].map(|()| Program::start(&mut bookends(&test.url)));
    for server in servers {
        let answer = ratings(&server.address());
        assert!(answer.contains(r#""totalCount":20000"#), "{answer}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_leaves_no_half_filled_tables() {
    let test = TestDb::new().await;
    let sizes = ["--books", "10", "--ratings", "10", "--orders", "10000000"];
    let mut seed = bookends(&test.url);
    let mut seed = seed.arg("seed").args(sizes).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Two tables are full, inside the transaction.
    let mut lines = BufReader::new(seed.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!((lines.next().unwrap(), lines.next().unwrap()), ("books: 10 rows".into(), "ratings: 10 rows".into()));
    succeeds(Command::new("kill").args(["-INT", &seed.id().to_string()]));
    let Output { status, stderr, .. } = seed.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(stderr).unwrap(), "bookends: interrupted: the change in progress was rolled back\n");
    assert_eq!(status.code(), Some(130));
    let settings = crate::shop::settings(&test.url);
    let db = bookends::db::Db::connect(&settings).await.unwrap();
    assert!(bookends::seed::is_empty(&db).await.unwrap());
}

#[tokio::test]
async fn migrate_goes_up_and_down_and_shows_its_state() {
    let test = TestDb::new().await;
    assert!(succeeds(bookends(&test.url).args(["migrate", "status"])).starts_with("pending"));
    let up = succeeds(bookends(&test.url).args(["migrate", "up"]));
    assert!(up.lines().count() >= 4 && up.lines().all(|line| line.starts_with("applied")), "{up}");
    let down = succeeds(bookends(&test.url).args(["migrate", "down", "--steps", "2"]));
    assert_eq!(down.lines().filter(|line| line.starts_with("pending")).count(), 2, "{down}");
}

#[tokio::test]
async fn seed_reports_in_plain_lines() {
    let test = TestDb::new().await;
    let sizes = ["--books", "3", "--ratings", "1200", "--orders", "0"];
    let said = succeeds(bookends(&test.url).arg("seed").args(sizes));
    assert_eq!(said, "books: 3 rows\nratings: 1,200 rows\norders: 0 rows\n");
    fails(bookends(&test.url).arg("seed"), "the database is not empty");
}

#[test]
fn schema_prints_the_schema() {
    assert_eq!(succeeds(bookends("").arg("schema")), bookends::shop::sdl());
}

/// Only 200 is healthy, wherever the server listens.
#[test]
fn health_checks_the_server() {
    use std::io::Write;
    let answers = ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 503 Service Unavailable\r\n", "HTTP/1.1"];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = std::thread::spawn(move || {
        answers.map(|answer| {
            let mut socket = listener.accept().unwrap().0;
            let mut lines = BufReader::new(socket.try_clone().unwrap()).lines().map(Result::unwrap);
            let request = lines.next().unwrap();
            lines.find(String::is_empty).unwrap();
            write!(socket, "{answer}").unwrap();
            request
        })
    });
    let health = |address: &str| {
        let mut command = bookends("");
        command.args(["health", "--listen", address]);
        command
    };
    assert_eq!(succeeds(&mut health(&format!("0.0.0.0:{port}"))), "");
    fails(&mut health(&format!("127.0.0.1:{port}")), "/health responded `HTTP/1.1 503`");
    fails(&mut health(&format!("127.0.0.1:{port}")), "no response from http://127.0.0.1:");
    assert_eq!(asked.join().unwrap(), ["GET /health HTTP/1.1"; 3]);
    // Nothing listens there any more.
    fails(&mut health(&format!("127.0.0.1:{port}")), "no response from http://127.0.0.1:");
}

#[test]
fn an_error_is_one_line() {
    fails(&mut bookends("mysql://u:secret@localhost/x"), "must start with `sqlite:` or `postgres:`");
    fails(&mut bookends("nonsense"), "must start with `sqlite:` or `postgres:`");
    fails(&mut bookends("postgres://u:secret@localhost:notaport/x"), "the database URL is malformed");
    fails(bookends("postgres://u:secret@127.0.0.1:1/x").env("DATABASE_WAIT", "0"), "Connection refused");
    fails(&mut bookends("sqlite:///no/such/folder/x.db"), "unable to open database file");
    let flag = ["--database-url", "postgres://u:secret@127.0.0.1:1/x"];
    fails(bookends("sqlite::memory:").args(flag), "can read a password on the command line");
    fails(bookends("sqlite::memory:").arg("seed").args(flag), "can read a password on the command line");

    let name = format!("bookends_no_database_{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, "this is a text of more than a hundred bytes ".repeat(100)).unwrap();
    fails(&mut bookends(&format!("sqlite://{}", file.display())), "file is not a database");
    std::fs::remove_file(file).unwrap();

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(bookends("sqlite::memory:").args(["--listen", &address]), "cannot listen on 127.0.0.1:");
}

#[tokio::test]
async fn secrets_are_read_from_files() {
    let test = TestDb::new().await;
    let folder = std::env::temp_dir().join(format!("bookends_secrets_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (url, empty, token) = (folder.join("url"), folder.join("empty"), folder.join("token"));
    std::fs::write(&url, format!("{}\n", test.url)).unwrap();
    std::fs::write(&empty, "\n").unwrap();
    std::fs::write(&token, "secret\n").unwrap();
    let program = || {
        let mut program = bookends("");
        program.env_remove("DATABASE_URL").env_remove("BOOKENDS_WRITE_TOKEN");
        program
    };

    assert!(succeeds(program().env("DATABASE_URL_FILE", &url).args(["migrate", "status"])).starts_with("pending"));
    fails(program().env("DATABASE_URL_FILE", &empty), "DATABASE_URL_FILE names an empty file");
    fails(program().env("DATABASE_URL_FILE", folder.join("none")), "cannot read DATABASE_URL_FILE: No such file");
    fails(
        bookends("sqlite::memory:").env("BOOKENDS_WRITE_TOKEN_FILE", &token),
        "BOOKENDS_WRITE_TOKEN and BOOKENDS_WRITE_TOKEN_FILE are both set",
    );
    let both = bookends("sqlite::memory:").env("DATABASE_URL_FILE", &url).output().unwrap();
    assert!(!both.status.success(), "a URL, and a file with another URL");

    let server = Program::start(program().env("DATABASE_URL_FILE", &url).env("BOOKENDS_WRITE_TOKEN_FILE", &token));
    let address = server.address();
    let body = r#"{"query":"mutation { addBook(input: { name: \"x\", year: 0 }) { clientMutationId } }"}"#;
    assert!(ask(&address, post(body)).body.contains("UNAUTHENTICATED"));
    std::fs::remove_dir_all(folder).unwrap();
}

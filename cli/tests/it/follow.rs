//! The program follows a database that changes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bookends::catalog::Seen;
use sea_orm::{ConnectionTrait as _, TransactionTrait as _};

use crate::made::Made;

/// The program, which serves a database.
struct Program(Child, String);

impl Program {
    fn start(url: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bookends"));
        command.env_clear().env("LISTEN", "127.0.0.1:0").env("DATABASE_URL", url).env("LOG_FORMAT", "json");
        let mut child =
            command.current_dir(std::env::temp_dir()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|line| {
            let line: serde_json::Value = serde_json::from_str(&line).ok()?;
            let fields = if line["fields"].is_object() { &line["fields"] } else { &line };
            fields["address"].as_str().map(str::to_owned)
        });
        Self(child, address.expect("it listens"))
    }

    fn respond(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    fn sdl(&self) -> String {
        self.respond("GET /schema.graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    }

    fn query(&self, query: &str) -> String {
        let body = serde_json::json!({ "query": query }).to_string();
        self.respond(&format!(
            "POST /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Waits for what must come.
    fn until(&self, comes: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !comes(self) {
            assert!(begun.elapsed() < Duration::from_mins(2), "it never came");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_tables_and_indexes_come_and_go_without_a_restart() {
    let made = Made::new(
        "CREATE TABLE city (id integer PRIMARY KEY, name varchar(9) NOT NULL, people integer);
         INSERT INTO city VALUES (1, 'Bern', 1);",
    )
    .await;
    let url = made.test.url.clone();
    let program = tokio::task::spawn_blocking(move || Program::start(&url)).await.unwrap();
    let run = async |sql: &str| made.owner.execute_unprepared(sql).await.map(drop).unwrap();
    assert!(program.query("{ cities { nodes { name people } } }").contains("Bern"));
    run("ALTER TABLE city ADD COLUMN height integer").await;
    program.until(|program| program.sdl().contains("height: Int"));
    run("CREATE TABLE river (id integer PRIMARY KEY)").await;
    program.until(|program| program.query("{ rivers { totalCount } }").contains("\"totalCount\":0"));
    run("CREATE INDEX by_name ON city (name, id)").await;
    program
        .until(|program| program.query("{ cities(orderBy: [{ field: NAME }]) { nodes { name } } }").contains("Bern"));
    run("ALTER TABLE city DROP COLUMN people").await;
    // Until it is noticed, it is an error of its field; afterwards the query is invalid.
    let response = program.query("{ cities { nodes { name people } } }");
    assert!(response.contains("SCHEMA_CHANGED") || response.contains("GRAPHQL_VALIDATION_FAILED"), "{response}");
    program.until(|program| !program.sdl().contains("people"));
    assert!(program.query("{ cities { nodes { name height } } }").contains("Bern"));
    run("DROP TABLE river").await;
    program.until(|program| !program.sdl().contains("River"));
}

/// Also if its transaction was open at the last look: then nothing began since.
#[tokio::test]
async fn a_change_is_seen_once_it_is_committed() {
    let made = Made::new("CREATE TABLE river (id integer PRIMARY KEY)").await;
    let first = Seen::now(&made.owner, None).await.unwrap();
    let change = made.test.connect().await.begin().await.unwrap();
    change.execute_unprepared("CREATE TABLE city (id integer PRIMARY KEY)").await.unwrap();
    let open = Seen::now(&made.owner, Some(first.clone())).await.unwrap();
    assert_eq!(open.fingerprint(), first.fingerprint());
    change.commit().await.unwrap();
    let changed = Seen::now(&made.owner, Some(open)).await.unwrap();
    assert_ne!(changed.fingerprint(), first.fingerprint());
    let again = Seen::now(&made.owner, Some(changed.clone())).await.unwrap();
    assert_eq!(again.fingerprint(), changed.fingerprint());
}

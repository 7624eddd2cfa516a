//! The program: its command line, its settings, its server.

fn main() -> std::process::ExitCode {
    {package}::app().main()
}

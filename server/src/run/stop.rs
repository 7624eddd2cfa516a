//! Ctrl-C, and the SIGTERM of a supervisor.

use std::{io, process};

use tokio::signal;

/// The exit status of a program that Ctrl-C ended, by the convention of shells.
pub const INTERRUPTED: u8 = 130;

/// Installs the handlers. From now on a signal no longer ends the program: the first one completes the returned future,
/// and the second one exits at once with [`INTERRUPTED`].
///
/// # Errors
///
/// [`io::Error`] if the system refuses a handler.
pub fn signals() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    // Both are installed here and not when the future is first polled: nothing is started or printed before.
    let (mut interrupt, mut terminate) = handlers()?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tokio::spawn(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            tracing::warn!("second signal: exiting at once");
            process::exit(INTERRUPTED.into());
        });
    })
}

#[cfg(unix)]
fn handlers() -> io::Result<(signal::unix::Signal, signal::unix::Signal)> {
    use signal::unix::{SignalKind, signal};
    Ok((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
}

#[cfg(windows)]
fn handlers() -> io::Result<(signal::windows::CtrlC, signal::windows::CtrlShutdown)> {
    Ok((signal::windows::ctrl_c()?, signal::windows::ctrl_shutdown()?))
}

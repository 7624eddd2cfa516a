//! The limit for `subscribers`: writes the bytes of a file to so many sockets, whenever the socket that was opened last says so.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file");
    let count: usize = arguments.next().and_then(|count| count.parse().ok()).expect("a number of sockets");
    let bytes = std::fs::read(file).expect("the file of an event");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("open http://{} and listen", listener.local_addr().expect("an address"));
    let accept = || {
        let (socket, _) = listener.accept().expect("a client");
        socket.set_nodelay(true).expect("an option of TCP");
        socket
    };
    let mut sockets: Vec<TcpStream> = (0..count).map(|_| accept()).collect();
    let mut trigger = accept();
    while trigger.read_exact(&mut [0]).is_ok() {
        for socket in &mut sockets {
            socket.write_all(&bytes).expect("a client that reads");
        }
    }
}

//! Which addresses are one client, and which clients are in one network.
//!
//! A provider gives each customer of IPv6 at least 64 bits of addresses, and often 48 bits of networks.

use std::net::{IpAddr, Ipv6Addr};

/// The address that a client is known by: an IPv4 address, or the first 64 bits of an IPv6 address.
pub fn client_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => first(address, 64),
    }
}

/// The network of an IPv6 address: its first 48 bits.
pub fn network_of(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(first(address, 48)),
    }
}

fn first(address: Ipv6Addr, bits: u32) -> IpAddr {
    Ipv6Addr::from_bits(address.to_bits() & !(u128::MAX >> bits)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_64_bits_and_a_network_48() {
        let parse = |text: &str| text.parse::<IpAddr>().unwrap();
        let address = parse("2001:db8:1:2:3:4:5:6");
        assert_eq!((client_of(address), network_of(address)), (parse("2001:db8:1:2::"), Some(parse("2001:db8:1::"))));
        assert_eq!((client_of(parse("192.0.2.1")), network_of(parse("192.0.2.1"))), (parse("192.0.2.1"), None));
    }
}

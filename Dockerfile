# syntax=docker/dockerfile:1
#
# The server with GraphiQL in it, and nothing else: no shell, no package manager, no root.
#
#     docker build --tag bookends .
#     docker run --read-only --cap-drop ALL --publish 127.0.0.1:8000:8000 --volume bookends:/data bookends
#
# docs/operations.md says the rest. Each stage copies what changes seldom first, so that a change of the sources builds the
# sources alone.

FROM node:22-bookworm-slim AS web
WORKDIR /web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY web .
RUN npm run build

FROM rust:1.95.0-slim-bookworm AS build
# What the image brings, by whichever name: the file rust-toolchain.toml would have more of it downloaded.
ENV RUSTUP_TOOLCHAIN=1.95.0 CARGO_TARGET_DIR=/target
WORKDIR /bookends
# The dependencies, as a layer: the workspace without its sources. cargo wants to see the benches that Cargo.toml names.
COPY .cargo .cargo
COPY Cargo.toml Cargo.lock ./
COPY entity/Cargo.toml entity/
COPY keyset/Cargo.toml keyset/
COPY migration/Cargo.toml migration/
COPY testdb/Cargo.toml testdb/
COPY benches benches
COPY keyset/benches keyset/benches
RUN mkdir src entity/src keyset/src migration/src testdb/src \
    && touch src/lib.rs entity/src/lib.rs keyset/src/lib.rs migration/src/lib.rs testdb/src/lib.rs \
    && echo 'fn main() {}' >src/main.rs \
    && cargo build --release --locked --bin bookends
COPY build.rs ./
COPY entity entity
COPY keyset keyset
COPY migration migration
COPY src src
COPY web web
COPY --from=web /web/dist web/dist
# To cargo a file is new by its time, and what is copied keeps that of the checkout.
RUN touch build.rs src/main.rs src/lib.rs entity/src/lib.rs keyset/src/lib.rs migration/src/lib.rs \
    && cargo build --release --locked --bin bookends \
    && mkdir /data

# glibc, libgcc, certificates; of the same Debian as the stage that built.
FROM gcr.io/distroless/cc-debian12:nonroot
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Bookends" \
    org.opencontainers.image.description="A GraphQL server that pages through tables of any size at a constant cost" \
    org.opencontainers.image.licenses="MIT OR Apache-2.0" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION"
COPY --from=build /target/release/bookends /usr/local/bin/bookends
COPY --from=build --chown=65532:65532 /data /data
# SQLite sorts beside its database where that does not fit into memory: nothing else can be written to.
ENV DATABASE_URL=sqlite:///data/bookends.db SQLITE_TMPDIR=/data LISTEN=0.0.0.0:8000 RUST_LOG=info LOG_FORMAT=json
# A number, so that an orchestrator sees that it is not root.
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bookends", "health"]
ENTRYPOINT ["bookends"]
CMD ["serve"]

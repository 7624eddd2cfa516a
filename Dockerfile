# syntax=docker/dockerfile:1
#
# An image with the server and GraphiQL: no shell, no package manager, no root.
#
#     docker build --tag bookends .
#     docker run --read-only --cap-drop ALL --publish 127.0.0.1:8000:8000 --volume bookends:/data bookends
#
# docs/operations.md has the details. Each stage copies rarely changed files first, so that a change of the sources does not
# rebuild the dependencies.

FROM rust:1.95.0-slim-bookworm AS build
# The toolchain of the image: rust-toolchain.toml would download more components.
ENV RUSTUP_TOOLCHAIN=1.95.0 CARGO_TARGET_DIR=/target
WORKDIR /bookends
# A layer with the dependencies: the workspace without its sources. cargo requires the benches that Cargo.toml names.
COPY .cargo .cargo
COPY Cargo.toml Cargo.lock ./
COPY entity/Cargo.toml entity/
COPY keyset/Cargo.toml keyset/
COPY graphql/Cargo.toml graphql/
COPY migration/Cargo.toml migration/
COPY testdb/Cargo.toml testdb/
COPY benches benches
COPY entity/benches entity/benches
COPY keyset/benches keyset/benches
RUN mkdir src entity/src keyset/src graphql/src migration/src testdb/src \
    && touch src/lib.rs entity/src/lib.rs keyset/src/lib.rs graphql/src/lib.rs migration/src/lib.rs testdb/src/lib.rs \
    && echo 'fn main() {}' >src/main.rs \
    && cargo build --profile dist --features otlp --locked --bin bookends
COPY entity entity
COPY keyset keyset
COPY graphql graphql
COPY migration migration
COPY build.rs ./
COPY src src
COPY web web
# cargo compares times of files, and copies keep the time of the checkout.
RUN touch src/main.rs src/lib.rs entity/src/lib.rs keyset/src/lib.rs graphql/src/lib.rs migration/src/lib.rs \
    && cargo build --profile dist --features otlp --locked --bin bookends \
    && mkdir /data

# glibc, libgcc and certificates, from the same Debian as the build stage.
FROM gcr.io/distroless/cc-debian12:nonroot
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Bookends" \
    org.opencontainers.image.description="A GraphQL server that pages through tables of any size at a constant cost" \
    org.opencontainers.image.licenses="MIT OR Apache-2.0" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION"
COPY --from=build /target/dist/bookends /usr/local/bin/bookends
COPY --from=build --chown=65532:65532 /data /data
# SQLite has its file in the working folder, and writes large sorts to a file: /data is the only folder that can be written.
# Without DATABASE_URL here, DATABASE_URL_FILE can name a mounted file. The database begins empty: SAMPLE=true fills it.
ENV SAMPLE=false SQLITE_TMPDIR=/data LISTEN=0.0.0.0:8000 RUST_LOG=info LOG_FORMAT=json
# A number, so that an orchestrator can verify that it is not root.
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bookends", "health"]
ENTRYPOINT ["bookends"]
CMD ["serve"]

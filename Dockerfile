# syntax=docker/dockerfile:1
#
# Images with a server and GraphiQL: no shell, no package manager, no root. The last one is the default.
#
#     docker build --tag bookshop .
#     docker run --read-only --cap-drop ALL --publish 127.0.0.1:8000:8000 --volume bookshop:/data bookshop
#
#     docker build --target bookends --tag bookends .
#     docker run --read-only --cap-drop ALL --publish 127.0.0.1:8000:8000 --env DATABASE_URL bookends
#
# docs/operations.md has the details. Each stage copies rarely changed files first, so that a change of the sources does not
# rebuild the dependencies.

FROM rust:1.95.0-slim-bookworm AS build
# The toolchain of the image: rust-toolchain.toml would download more components.
ENV RUSTUP_TOOLCHAIN=1.95.0 CARGO_TARGET_DIR=/target
WORKDIR /bookshop
# A layer with the dependencies: the workspace without its sources. cargo requires the benches that Cargo.toml names.
COPY .cargo .cargo
COPY Cargo.toml Cargo.lock ./
COPY cli/Cargo.toml cli/
COPY entity/Cargo.toml entity/
COPY keyset/Cargo.toml keyset/
COPY graphql/Cargo.toml graphql/
COPY server/Cargo.toml server/
COPY migration/Cargo.toml migration/
COPY examples/your-own-tables/Cargo.toml examples/your-own-tables/
COPY oracle/Cargo.toml oracle/
COPY testdb/Cargo.toml testdb/
COPY benches benches
COPY keyset/benches keyset/benches
RUN mkdir examples/your-own-tables/src src cli/src entity/src keyset/src graphql/src server/src migration/src oracle/src testdb/src \
    && touch src/lib.rs cli/src/lib.rs entity/src/lib.rs keyset/src/lib.rs graphql/src/lib.rs server/src/lib.rs \
        migration/src/lib.rs oracle/src/lib.rs testdb/src/lib.rs \
    && echo 'fn main() {}' | tee examples/your-own-tables/src/main.rs cli/src/main.rs >src/main.rs \
    && cargo build --profile dist --locked -p bookshop -p bookends --features bookshop/otlp,bookends/otlp --bins
COPY cli cli
COPY entity entity
COPY keyset keyset
COPY graphql graphql
COPY server server
COPY migration migration
COPY build.rs ./
COPY src src
COPY web web
# cargo compares times of files, and copies keep the time of the checkout.
ARG TARGETARCH
RUN touch src/main.rs src/lib.rs cli/src/main.rs cli/src/lib.rs entity/src/lib.rs keyset/src/lib.rs graphql/src/lib.rs \
        server/src/lib.rs migration/src/lib.rs \
    && cargo build --profile dist --locked -p bookshop -p bookends --features bookshop/otlp,bookends/otlp --bins \
    && install -D --target-directory "/programs/$TARGETARCH" /target/dist/bookshop /target/dist/bookends \
    && mkdir /data

# A release puts programs that it has built already in the place of this stage: `--build-context programs=FOLDER`.
FROM scratch AS programs
COPY --from=build /programs /programs
COPY --from=build /data /data

# glibc, libgcc and certificates, from the same Debian as the build stage.
FROM gcr.io/distroless/cc-debian12:nonroot AS server
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.licenses="MIT OR Apache-2.0" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION"
COPY --from=programs --chown=65532:65532 /data /data
# SQLite has its file in the working folder, and writes large sorts to a file: /data is the only folder that can be written.
# Without DATABASE_URL here, DATABASE_URL_FILE can name a mounted file.
ENV SQLITE_TMPDIR=/data LISTEN=0.0.0.0:8000 RUST_LOG=info LOG_FORMAT=json
# A number, so that an orchestrator can verify that it is not root.
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM

# Any database.
FROM server AS bookends
LABEL org.opencontainers.image.title="Bookends" \
    org.opencontainers.image.description="A Relay API over any PostgreSQL or SQLite database, without code"
ARG TARGETARCH
COPY --from=programs /programs/$TARGETARCH/bookends /usr/local/bin/bookends
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bookends", "health"]
ENTRYPOINT ["bookends"]

# The book shop.
FROM server AS bookshop
LABEL org.opencontainers.image.title="Bookshop" \
    org.opencontainers.image.description="The reference application of Bookends: a book shop as Relay connections"
# The database begins empty: SAMPLE=true fills it.
ENV SAMPLE=false
ARG TARGETARCH
COPY --from=programs /programs/$TARGETARCH/bookshop /usr/local/bin/bookshop
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bookshop", "health"]
ENTRYPOINT ["bookshop"]
CMD ["serve"]

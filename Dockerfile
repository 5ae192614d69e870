# docker build -t tuppence .
# For a site that has DATABASE_URL, without the embedded PostgreSQL (60 MB):
# docker build -t tuppence --build-arg PACK_OPTIONS=--without-database .
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/after-install.mjs scripts/
RUN npm ci --omit=dev
COPY . .
ARG PACK_OPTIONS=""
RUN npm run pack -- $PACK_OPTIONS

# Of Node's image the program alone: npm, its headers and its manuals are half of the rest.
FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/
# With a name, because initdb asks for one.
RUN useradd --uid 1000 tuppence && install -d -o tuppence -g tuppence /data
WORKDIR /app
COPY --from=build /app/dist ./
USER tuppence
ENV DATA_DIR=/data PORT=3000
VOLUME /data
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server.mjs"]

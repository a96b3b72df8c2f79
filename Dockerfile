# One image for both services: `docker run … orchestrator` or `docker run … builder-backend`.
FROM oven/bun:1.4.5 AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile --production

FROM oven/bun:1.4.5 AS web
WORKDIR /app
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile
COPY scripts scripts
COPY src src
RUN bun scripts/build-web.ts

FROM oven/bun:1.4.5
WORKDIR /app
# Bun's 256 outgoing requests at a time can be used up by a few nodes and providers that do not answer.
ENV NODE_ENV=production HOST=0.0.0.0 LOG_FORMAT=json BUN_CONFIG_MAX_HTTP_REQUESTS=4096
COPY --from=dependencies /app/node_modules node_modules
COPY package.json bunfig.toml tsconfig.json ./
COPY migrations migrations
COPY src src
# The services show the documentation at /docs.
COPY ARCHITECTURE.md CHANGELOG.md ./
COPY docs docs
COPY examples/README.md examples/README.md
COPY --from=web /app/dist dist

USER bun
EXPOSE 8787 8788
# The service that runs is the one that answers.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bun", "-e", "const up = (port) => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok, () => false); process.exit((await up(process.env.ORCHESTRATOR_PORT ?? 8787)) || (await up(process.env.BUILDER_PORT ?? 8788)) ? 0 : 1)"]
ENTRYPOINT ["bun", "src/main.ts"]
CMD ["orchestrator"]

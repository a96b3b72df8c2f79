# One image for both services: `docker run … orchestrator` or `docker run … builder-backend`.
FROM oven/bun:1.4.5 AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile
COPY migrations migrations
COPY scripts scripts
COPY src src
RUN bun scripts/build-services.ts && bun scripts/build-web.ts

FROM oven/bun:1.4.5
LABEL org.opencontainers.image.title="Token sweep" \
  org.opencontainers.image.description="Gasless token sweeps: orchestrator, builder backend and MCP server" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT" \
  io.modelcontextprotocol.server.name="io.github.token-sweep/token-sweep"
WORKDIR /app
# Bun's 256 outgoing requests at a time can be used up by a few nodes and providers that do not answer. The allocator keeps freed pages:
# giving them back to the system all the time took a third of a service's CPU. FTL, the
# engine's last compiler, took more of it than its code gave back.
ENV NODE_ENV=production HOST=0.0.0.0 LOG_FORMAT=json BUN_CONFIG_MAX_HTTP_REQUESTS=4096 MIMALLOC_PURGE_DELAY=-1 BUN_JSC_useFTLJIT=0
# A service keeps its copy of the sanctions list here. A new volume takes over the mode of the directory, so that it can be written by
# the account of the host's files.
RUN mkdir --mode=777 /state
# The native library of signatures is not in the bundle.
COPY --from=build /app/node_modules/node-gyp-build node_modules/node-gyp-build
COPY --from=build /app/node_modules/secp256k1 node_modules/secp256k1
COPY LICENSE package.json ./
# The services show the documentation at /docs.
COPY ARCHITECTURE.md CHANGELOG.md ./
COPY docs docs
COPY examples/README.md examples/README.md
COPY --from=build /app/dist dist

# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8787 8788
# The service that runs is the one that answers.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bun", "-e", "const up = (port) => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok, () => false); process.exit((await up(process.env.ORCHESTRATOR_PORT || 8787)) || (await up(process.env.BUILDER_PORT || 8788)) ? 0 : 1)"]
ENTRYPOINT ["bun", "dist/services/main.js"]
CMD ["orchestrator"]

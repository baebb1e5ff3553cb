# Node has the version of the development dependency `node` in package.json.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install script is needed, because the image contains Node, and other packages contain their binaries.
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json .swcrc ./
COPY src ./src
# The service serves these documents.
COPY docs/rules.md ./docs/
COPY docs/guides ./docs/guides
COPY clients/typescript/README.md ./clients/typescript/
RUN npm run build

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The only optional package is TypeScript, which a plugin of `@nestjs/swagger` would need.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY ops/image/remove-unused-files.mjs ./ops/image/
RUN node ops/image/remove-unused-files.mjs

FROM node:24.21.0-bookworm-slim
ARG VERSION=development
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Integration API" \
  org.opencontainers.image.description="External integration API of a multi-tenant real-estate platform" \
  org.opencontainers.image.licenses="UNLICENSED" \
  org.opencontainers.image.base.name="node:24.21.0-bookworm-slim" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# `npm run start:prod` sets the same variable and flags.
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=1
# The health check asks this listener in every ROLE. Without OPS_HOST, only the container itself reaches it.
ENV OPS_PORT=9464
# npm, which `npm run cli` uses, writes to this folder. The other folders may be read-only.
ENV NPM_CONFIG_CACHE=/tmp/npm
ENV NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY package.json ./
# `npm run cli -- <command>` works in the image too.
COPY scripts/build-if-stale.mjs ./scripts/
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install --directory --owner=node node_modules/.cache
# A number, because Kubernetes cannot see whether the user of a name is root.
USER 1000:1000
# This run fills the compile cache, which a read-only container then reads; the cache depends on the flags. Its invalid
# configuration makes it exit.
RUN PORT=none node --max-semi-space-size=16 --heap-growing-percent=30 dist/main.js; test $? -eq 2
EXPOSE 3000 9464
# The service responds within two seconds, with 503 while the database does not respond.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "dist/healthcheck.js"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=30", "dist/main.js"]

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
RUN npm ci --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim
# `npm run start:prod` sets the same variable and flags.
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=1
WORKDIR /app
COPY package.json ./
# `npm run cli -- <command>` works in the image too.
COPY scripts/build-if-stale.mjs ./scripts/
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install --directory --owner=node node_modules/.cache
USER node
# This run fills the compile cache for the first start. Its invalid configuration makes it exit immediately.
RUN PORT=none node dist/main.js; test $? -eq 2
EXPOSE 3000
# The service responds within two seconds, with 503 while the database does not respond.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/external/apis/v1.0/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=30", "dist/main.js"]

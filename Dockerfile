# The version of Node is that of the development dependency `node` in package.json.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install script is needed: the image brings Node itself, the other packages their binaries.
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json .swcrc ./
COPY src ./src
RUN npm run build

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim
# The variable and the flag below are those of `npm run start:prod` (docs/performance.md).
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=1
WORKDIR /app
COPY package.json ./
# `npm run cli -- <command>`, as the messages name it, runs in the image too.
COPY scripts/build-if-stale.mjs ./scripts/
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install --directory --owner=node node_modules/.cache
USER node
# Compiled code for the first start. This one ends at once, because its configuration is not valid.
RUN PORT=none node dist/main.js; test $? -eq 2
EXPOSE 3000
# The answer comes within two seconds, and is 503 while the database does not answer.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/external/apis/v1.0/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=30", "dist/main.js"]

# syntax=docker/dockerfile:1

# Bundles server and widget as the package has them (packaging/server-build.ts). Sources and packages stay behind here.
# The Node is that of package.json (optionalDependencies): a test keeps them the same.
FROM node:26.10.0-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY src/package.json src/
RUN npm ci --omit=dev --ignore-scripts
COPY tsconfig.json ./
COPY packaging packaging
COPY tools tools
COPY src src
COPY texts texts
COPY widget widget
COPY embed/widget embed/widget
RUN node widget/build.ts && node packaging/server-build.ts

FROM node:26.10.0-slim
LABEL org.opencontainers.image.title="Holdfast" \
      org.opencontainers.image.description="Self-hosted appointment booking" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.licenses="Apache-2.0"

# What runs here never installs anything: without package managers there is less to misuse.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* \
      /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && install -d -o node -g node -m 0700 /var/lib/holdfast

WORKDIR /app
COPY package.json LICENSE ./
COPY bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/texts texts
COPY --from=build /build/widget/dist widget/dist
COPY packaging/health-check.js packaging/health-check.js

ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=sqlite:/var/lib/holdfast/holdfast.db
VOLUME /var/lib/holdfast
EXPOSE 3000

# The program belongs to root and runs as somebody else, who may write the volume and nothing more.
USER node
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "packaging/health-check.js"]
# In this form the program is the first process and gets the signal itself.
ENTRYPOINT ["node", "bin/holdfast.js"]
CMD ["serve"]

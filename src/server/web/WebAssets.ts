/** The built web app in memory. It is small, and a running server then serves one version only. */
import { Context, Effect, FileSystem, Layer, Path } from "effect"

/** One file of the build, with its compressed forms. */
export interface Asset {
  readonly contentType: string
  readonly plain: Uint8Array
  readonly brotli: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
  /** Names with a hash of the content can be cached without limit. */
  readonly isHashed: boolean
}

/** Files by their path below the app's own. Empty if no app is served. */
export const WebAssets = Context.Reference<ReadonlyMap<string, Asset>>("sweep/server/WebAssets", {
  defaultValue: () => new Map()
})

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
  ".woff2": "font/woff2"
}

const HASHED = /-[0-9a-z]{8}\.[a-z0-9]+$/

/** Reads a directory that `scripts/build-web.ts` wrote. A missing directory holds no app. */
export const read = Effect.fn("WebAssets.read")(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const assets = new Map<string, Asset>()
  if (!(yield* fs.exists(directory))) return assets
  const compressed = (name: string) =>
    fs.exists(name).pipe(Effect.flatMap((exists) => (exists ? fs.readFile(name) : Effect.undefined)))
  for (const name of yield* fs.readDirectory(directory, { recursive: true })) {
    const contentType = CONTENT_TYPES[path.extname(name)]
    if (contentType === undefined) continue
    const file = path.join(directory, name)
    assets.set(name.split(path.sep).join("/"), {
      contentType,
      plain: yield* fs.readFile(file),
      brotli: yield* compressed(`${file}.br`),
      gzip: yield* compressed(`${file}.gz`),
      isHashed: HASHED.test(name)
    })
  }
  return assets
})

export const layer = (directory: string) => Layer.effect(WebAssets, read(directory))

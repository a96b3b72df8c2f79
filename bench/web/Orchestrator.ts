/** An orchestrator on loopback with two chains and owners of tokens, which answers every page at once. */
import { Effect } from "effect"
import { numberToHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { CATALOG, FAILED, held, holding, token } from "../../test/web/HoldingsScene.ts"

/** Number of tokens of the owner of many, and of others. */
export const MANY = 500
const SOME = 20

/** The owner of many tokens. */
export const collector = privateKeyToAccount(numberToHex(7, { size: 32 }))

const tokenAt = (index: number) => ({
  ...token(8453, `T${index}`, `Token ${index}`, 0x11),
  address: Address.of(`0x${(index + 1).toString(16).padStart(40, "0")}`)
})

const tokens = (length: number) =>
  holding(Array.from({ length }, (_, index) => held(tokenAt(index), String(5 + (index % 40)))))

const [many, some] = [tokens(MANY), tokens(SOME)]

const prices = { json: { prices: [], updatedAtMs: 0 } }

const answerTo = (path: string) => {
  if (path.endsWith("/sweepable")) return path.includes(collector.address) ? many : some
  const known = { "/chains": CATALOG.chains, "/tokens": CATALOG.tokens, "/prices": prices }
  return Object.entries(known).find(([name]) => name === path)?.[1] ?? FAILED
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "timing-allow-origin": "*"
}

const GZIP = { "content-encoding": "gzip", "content-type": "application/json" }

/** Serves until the scope closes. Returns its URL. */
export const start = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ method, url }) => {
          if (method === "OPTIONS") return new Response(null, { headers: CORS })
          const { json, ...more } = answerTo(new URL(url).pathname)
          const status = "status" in more ? more.status : undefined
          const body = Bun.gzipSync(JSON.stringify(json))
          return new Response(body, { headers: { ...CORS, ...GZIP }, ...(status === undefined ? {} : { status }) })
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  ),
  ({ port }) => `http://127.0.0.1:${port}/`
)

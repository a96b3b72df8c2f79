/** RPC endpoints that answer as a test says, and the operator's choices of them in memory. */
import { Clock, Effect, Layer, Redacted } from "effect"
import * as MemoryOverrides from "../../src/adapters/memory/orchestrator/Overrides.ts"
import * as AesGcmSecretBox from "../../src/adapters/secrets/AesGcmSecretBox.ts"
import type { EndpointFacts } from "../../src/domain/doctor/Endpoints.ts"
import * as KeptEndpoints from "../../src/orchestrator/shared/KeptEndpoints.ts"
import { KeptOverrides } from "../../src/runtime/KeptOverrides.ts"
import { RpcEndpoints } from "../../src/ports/orchestrator/RpcEndpoints.ts"

/** The hostname says what is wrong: `well-…` nothing, `other-…` its chain, `old-…` its head, `silent-…`, `plain-…` no overrides, `fork-…`. */
export const urlOf = (hostname: string): string => `https://${hostname}.example/v2/key-of-${hostname}`

/** Facts of an endpoint of `chainId`, by its host. */
export const factsOf = (url: string, chainId: number, nowMillis: number): EndpointFacts => {
  const { host } = new URL(url)
  const kind = host.split(/[-.]/)[0]
  const common = { host, role: "rpcUrls", isEncrypted: true, isLocal: false } as const
  if (kind === "silent") return { ...common, answer: { _tag: "Silent", detail: "no answer within 2 s" } }
  const id = kind === "other" ? chainId + 1 : chainId
  const timestamp = BigInt(Math.floor(nowMillis / 1_000)) - (kind === "old" ? 86_400n : 0n)
  return {
    ...common,
    answer: { _tag: "Chain", id: `0x${id.toString(16)}` },
    head: { number: 1_000n, timestamp },
    stateOverrides: kind !== "plain",
    commonHash: kind === "fork" ? "0xbb" : "0xaa"
  }
}

/** Every chain has the same configured endpoints. Hosts that begin with `intern` are private. */
export const endpointsLayer = (chainId: number, hosts: ReadonlyArray<string>) =>
  Layer.succeed(RpcEndpoints, {
    configured: () => hosts.map((host) => ({ url: urlOf(host) })),
    examine: (endpoints) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        commonHeight: 997n,
        endpoints: endpoints.map(({ url }) => factsOf(url, chainId, now))
      })),
    isAllowed: (url) => Effect.succeed(!new URL(url).host.startsWith("intern"))
  })

const keyOf = (byte: number | undefined) =>
  byte === undefined ? undefined : Redacted.make(new Uint8Array(32).fill(byte))

/** Choices as one replica knows them. Its keys of secrets are given by their byte. */
export const replica = (key: number | undefined, formerKey?: number) =>
  KeptEndpoints.layer.pipe(
    Layer.provideMerge(KeptOverrides.layerOnDemand),
    Layer.provideMerge(
      key === undefined && formerKey === undefined
        ? Layer.empty
        : AesGcmSecretBox.layer({ key: keyOf(key), formerKey: keyOf(formerKey) })
    )
  )

/** The store that replicas share. */
export const store = MemoryOverrides.layer

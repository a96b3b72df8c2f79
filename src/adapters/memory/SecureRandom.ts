/** Repeatable randomness for tests: draws from Effect's Random, which `Random.withSeed` fixes. Never for production. */
import { Effect, Layer, Random } from "effect"
import { SecureRandom } from "../../ports/SecureRandom.ts"

const bytes = (count: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => Random.nextIntBetween(0, 256, { halfOpen: true })),
    (values) => Uint8Array.from(values)
  )

export const layer = Layer.succeed(SecureRandom, {
  bytes,
  uuid: Effect.map(bytes(16), (random) => {
    const hex = Array.from(random, (byte, index) =>
      (index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, "0")
    ).join("")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  })
})

/**
 * Measures recovery and hashing by each implementation of the `Signatures` port, in CPU microseconds on one thread:
 * `bun bench/signatures.ts`. Every round has new inputs, as at intake, so that no cache answers.
 */
import { Console, Context, Effect, Layer } from "effect"
import { numberToHex } from "viem"
import { privateKeyToAccount, sign } from "viem/accounts"
import * as NativeSignatures from "../src/adapters/evm/keys/NativeSignatures.ts"
import * as ViemSignatures from "../src/adapters/evm/keys/ViemSignatures.ts"
import * as Address from "../src/domain/Address.ts"
import { type Authorization, authorizationHash } from "../src/domain/Delegation.ts"
import { digest, type SweepOrder } from "../src/domain/SweepOrder.ts"
import { Signatures } from "../src/ports/orchestrator/Signatures.ts"

const ROUNDS = 2_000
const WARM_UP = 200
const DOMAIN = { name: "Service", chainId: 8453 }

const account = (index: number) => Address.of(numberToHex(0x1000_0000 + index, { size: 20 }))

const inputOf = async (index: number) => {
  const privateKey = numberToHex(index + 1, { size: 32 })
  const order: SweepOrder = {
    owner: Address.of(privateKeyToAccount(privateKey).address),
    tokenIn: account(1),
    amountIn: 10n ** 18n + BigInt(index),
    feeAmount: 10n ** 15n,
    builder: Address.zero,
    builderFee: 0n,
    tokenOut: account(2),
    minAmountOut: 10n ** 6n,
    destination: account(index),
    swapTarget: account(3),
    // exactInput with two hops is about this long.
    swapCalldata: `0x${"ab".repeat(260)}`,
    deadline: 1_800_000_000n,
    nonce: BigInt(index),
    destChainId: 8453n
  }
  const plain = { address: account(4), chainId: 8453, nonce: BigInt(index) }
  const { r, s, yParity } = await sign({ hash: authorizationHash(plain), privateKey, to: "object" })
  const authorization: Authorization = { ...plain, r, s, yParity: yParity === 1 ? 1 : 0 }
  const hash = digest(order, DOMAIN)
  return { order, hash, authorization, signature: await sign({ hash, privateKey, to: "hex" }) }
}

type Input = Awaited<ReturnType<typeof inputOf>>

const measure = Effect.fnUntraced(function* (
  inputs: ReadonlyArray<Input>,
  work: (input: Input) => Effect.Effect<unknown>
) {
  yield* Effect.forEach(inputs.slice(0, WARM_UP), work, { discard: true })
  const before = process.cpuUsage()
  yield* Effect.forEach(inputs.slice(WARM_UP), work, { discard: true })
  const { system, user } = process.cpuUsage(before)
  return (system + user) / (inputs.length - WARM_UP)
})

const run = Effect.gen(function* () {
  const inputs = yield* Effect.promise(() =>
    Promise.all(Array.from({ length: ROUNDS + WARM_UP }, (_, i) => inputOf(i)))
  )
  const costs = (adapter: Layer.Layer<Signatures>) =>
    Effect.gen(function* () {
      const port = Context.get(yield* Layer.build(adapter), Signatures)
      return {
        digest: yield* measure(inputs, ({ order }) => port.orderDigest(order, DOMAIN)),
        recover: yield* measure(inputs, ({ hash, signature }) => port.recover(hash, signature)),
        recoverAuthority: yield* measure(inputs, ({ authorization }) => port.recoverAuthority(authorization))
      }
    })
  const native = yield* costs(NativeSignatures.layerNative.pipe(Layer.orDie))
  const viem = yield* costs(ViemSignatures.layer)
  yield* Console.log("µs of CPU each".padEnd(20), "native".padStart(9), "viem".padStart(9), "ratio".padStart(7))
  for (const what of ["digest", "recover", "recoverAuthority"] as const) {
    const [fast, slow] = [native[what], viem[what]]
    yield* Console.log(
      what.padEnd(20),
      fast.toFixed(1).padStart(9),
      slow.toFixed(1).padStart(9),
      `${(slow / fast).toFixed(1)}x`.padStart(7)
    )
  }
  yield* Console.log(JSON.stringify({ bench: "signatures", rounds: ROUNDS, unit: "µs", native, viem }))
})

await Effect.runPromise(Effect.scoped(run))

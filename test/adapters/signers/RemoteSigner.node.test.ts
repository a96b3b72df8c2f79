/** A real signer: anvil signs for its own accounts by `eth_signTransaction`, and mines what it signed. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { createPublicClient, http } from "viem"
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts"
import * as RemoteSigner from "../../../src/adapters/signers/RemoteSigner.ts"
import * as Foundry from "../../../src/devnet/Foundry.ts"
import * as Subprocess from "../../../src/devnet/Subprocess.ts"
import * as Address from "../../../src/domain/Address.ts"

const CHAIN_ID = 31_337
const RECIPIENT = Address.of(`0x${"33".repeat(20)}`)

/** The first of the accounts that anvil holds the keys of. */
const lane = Address.of(mnemonicToAccount("test test test test test test test test test test test junk").address)

const owner = privateKeyToAccount(`0x${"77".repeat(32)}`)

const anvil = Effect.gen(function* () {
  const { ready } = yield* Subprocess.start({
    name: "anvil",
    command: yield* Foundry.binary("anvil"),
    args: ["--host=127.0.0.1", "--port=0", `--chain-id=${CHAIN_ID}`, "--hardfork=prague", "--prune-history=8"],
    ready: (line) => Option.fromNullishOr(/^Listening on (\S+)$/.exec(line)?.[1])
  })
  return `http://${ready}`
})

it.live("anvil signs transactions of types 2 and 4 as they are asked for, and mines them", () =>
  Effect.gen(function* () {
    const url = yield* anvil
    const client = createPublicClient({ transport: http(url) })
    const { signTransaction } = yield* RemoteSigner.account({ url, address: lane, timeoutMillis: 10_000 })
    const { r, s, yParity } = yield* Effect.promise(() =>
      owner.signAuthorization({ address: RECIPIENT, chainId: CHAIN_ID, nonce: 0 })
    )
    const authorization = {
      address: RECIPIENT,
      chainId: CHAIN_ID,
      nonce: 0n,
      r,
      s,
      yParity: yParity === 1 ? 1 : 0
    } as const
    for (const [nonce, authorizationList] of [[], [authorization]].entries()) {
      const { hash, raw } = yield* signTransaction({
        chainId: CHAIN_ID,
        nonce: BigInt(nonce),
        to: RECIPIENT,
        data: "0xabcd",
        value: 5n,
        gas: 100_000n,
        maxFeePerGas: 3_000_000_000n,
        maxPriorityFeePerGas: 1n,
        authorizationList
      })
      assert.strictEqual(yield* Effect.promise(() => client.sendRawTransaction({ serializedTransaction: raw })), hash)
      const { status } = yield* Effect.promise(() => client.waitForTransactionReceipt({ hash, pollingInterval: 20 }))
      assert.strictEqual(status, "success")
    }
    assert.strictEqual(yield* Effect.promise(() => client.getBalance({ address: RECIPIENT })), 10n)
    const code = yield* Effect.promise(() => client.getCode({ address: owner.address }))
    assert.strictEqual(code, `0xef0100${RECIPIENT.slice(2).toLowerCase()}`)
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(BunServices.layer, FetchHttpClient.layer)))
)

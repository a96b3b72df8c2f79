import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import type { Hex } from "../../../../src/domain/Hex.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address, chain } from "../../../support/FakeChain.ts"
import { network, type Node, type Reaction } from "./scriptedNodes.ts"

const balance: Node = (method) =>
  method === "eth_getBalance" ? { result: "0x10" } : { error: { code: -32601, message: "method not found" } }

describe("reads over several endpoints", () => {
  const broken: Record<string, Reaction> = {
    "a refused connection": "refuse connection",
    "a rate limit": { status: 429, text: "slow down" },
    "a server error": { status: 502, text: "<html>bad gateway</html>" },
    "a body that is no JSON": { status: 200, text: "hello" },
    "a body that is no answer": { status: 200, text: `{"jsonrpc":"2.0","id":1}` },
    "a node's own trouble": { error: { code: -32000, message: "missing trie node" } }
  }
  for (const [name, reaction] of Object.entries(broken)) {
    it.effect(`asks the next endpoint after ${name}`, () =>
      Effect.gen(function* () {
        const { log, use } = network({ first: () => reaction, second: balance })
        assert.strictEqual(yield* use((client) => client.balance(address(1))), 16n)
        assert.deepStrictEqual(log, [
          "first eth_chainId",
          "first eth_getBalance",
          "second eth_chainId",
          "second eth_getBalance"
        ])
      })
    )
  }

  it.effect("fails when none answers, without telling the key in the URL", () =>
    Effect.gen(function* () {
      const { use } = network({ first: () => "refuse connection", second: () => ({ status: 503, text: "" }) })
      const error = yield* Effect.flip(use((client) => client.balance(address(1))))
      assert.strictEqual(error._tag, "ChainUnavailable")
      assert.notInclude(error.message + JSON.stringify(error), "secret-api-key")
      assert.include(error.message, "second: HTTP 503")
    })
  )

  it.effect("gives up on an endpoint that hangs, and asks it last for a while", () =>
    Effect.gen(function* () {
      let hanging = true
      const { log, use } = network({
        first: (method, params) => (hanging ? "hang" : balance(method, params)),
        second: balance
      })
      yield* use((client) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(client.balance(address(1)))
          yield* TestClock.adjust("10 seconds")
          assert.strictEqual(yield* Fiber.join(fiber), 16n)
          log.length = 0
          yield* client.balance(address(1))
          assert.deepStrictEqual(log, ["second eth_getBalance"])
          hanging = false
          yield* TestClock.adjust("11 seconds")
          log.length = 0
          yield* client.balance(address(1))
          assert.deepStrictEqual(log, ["first eth_getBalance"])
        })
      )
    })
  )

  it.effect("never uses a node of another chain", () =>
    Effect.gen(function* () {
      const wrong: Node = (method) => (method === "eth_chainId" ? { result: "0x1" } : { result: "0x63" })
      const { log, use } = network({ elsewhere: wrong, second: balance })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* client.balance(address(1)), 16n)
          assert.deepStrictEqual(yield* client.elsewhere, ["elsewhere"])
        })
      )
      assert.notInclude(log, "elsewhere eth_getBalance")
      const alone = network({ elsewhere: wrong })
      const error = yield* Effect.flip(alone.use((client) => client.balance(address(1))))
      assert.include(error.message, "serves chain 0x1")
      const refusing = network({ elsewhere: () => "refuse connection" })
      yield* refusing.use((client) =>
        Effect.gen(function* () {
          yield* Effect.flip(client.balance(address(1)))
          assert.deepStrictEqual(yield* client.elsewhere, [])
        })
      )
    })
  )

  it.effect("asks for the chain id once, and again as long as that failed", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: balance })
      yield* use((client) => Effect.all([client.balance(address(1)), client.balance(address(1))]))
      assert.deepStrictEqual(log, ["first eth_chainId", "first eth_getBalance", "first eth_getBalance"])
      let answered = false
      const late = network({
        elsewhere: (method, params) => {
          if (method !== "eth_chainId") return balance(method, params)
          if (answered) return { result: `0x${chain.id.toString(16)}` }
          answered = true
          return "refuse connection"
        }
      })
      yield* late.use((client) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(client.balance(address(1))))._tag, "ChainUnavailable")
          assert.strictEqual(yield* client.balance(address(1)), 16n)
        })
      )
    })
  )

  it.effect("takes nothing malformed for an answer", () =>
    Effect.gen(function* () {
      for (const result of ["16", "0x", null, {}, "0xzz"]) {
        const { use } = network({ first: () => ({ result }) })
        const error = yield* Effect.flip(use((client) => client.balance(address(1))))
        assert.include(error.message, "malformed answer")
      }
    })
  )
})

describe("calls over several endpoints", () => {
  const call = (client: ChainClient) => client.call({ to: address(1), data: "0x" })

  it.effect("take a revert for the answer that it is", () =>
    Effect.gen(function* () {
      const reverts: ReadonlyArray<[Reaction & object, string]> = [
        [{ error: { code: 3, message: "execution reverted", data: "0x08c379a0" } }, "0x08c379a0"],
        [{ error: { code: -32015, message: "VM execution error.", data: "Reverted 0xabcd" } }, "0xabcd"],
        [{ error: { code: -32000, message: "execution reverted" } }, "0x"],
        [{ error: { code: -32603, message: "revert", data: { originalError: { data: "0x1234" } } } }, "0x1234"],
        [{ error: { code: -32000, message: "out of gas" } }, "0x"]
      ]
      for (const [reaction, data] of reverts) {
        const { log, use } = network({ first: () => reaction, second: () => ({ result: "0x" }) })
        const error = yield* Effect.flip(use(call))
        assert.strictEqual(error._tag === "CallReverted" && error.data, data)
        assert.notInclude(log, "second eth_call")
      }
    })
  )

  it.effect("know an estimate above the gas that a transaction may have", () =>
    Effect.gen(function* () {
      const messages = [
        "gas required exceeds allowance (16777216)",
        "Out of gas: gas required exceeds allowance: 16777216",
        "Cannot estimate gas, gas spent exceeded transaction and block gas limit"
      ]
      for (const message of messages) {
        const { log, use } = network({
          first: () => ({ error: { code: -32000, message } }),
          second: () => ({ result: "0x1" })
        })
        const error = yield* Effect.flip(use((client) => client.estimateGas({ to: address(1), data: "0x" })))
        assert.isTrue(error._tag === "CallReverted" && error.isOutOfGas === true, message)
        assert.notInclude(log, "second eth_estimateGas")
      }
      // A contract chooses the text of its revert.
      for (const error of [
        { code: 3, message: "execution reverted: out of gas" },
        { code: -32_000, message: "execution reverted: out of gas" }
      ]) {
        const { use } = network({ first: () => ({ error }) })
        const reverted = yield* Effect.flip(use((client) => client.estimateGas({ to: address(1), data: "0x" })))
        assert.isTrue(reverted._tag === "CallReverted" && reverted.isOutOfGas === undefined, String(error.code))
      }
    })
  )

  it.effect("are unknown when the node had trouble of its own", () =>
    Effect.gen(function* () {
      const { use } = network({ first: () => ({ error: { code: -32000, message: "header not found" } }) })
      assert.strictEqual((yield* Effect.flip(use(call)))._tag, "ChainUnavailable")
    })
  )
})

describe("sends", () => {
  const raw: Hex = "0x02f8"
  const send = (client: ChainClient) => client.send(raw)
  const error = (message: string): Reaction => ({ error: { code: -32000, message } })

  it.effect("are done when any node has the bytes", () =>
    Effect.gen(function* () {
      const known = ["already known", "ALREADY_EXISTS: already known", "transaction already imported", "AlreadyKnown"]
      for (const reaction of [{ result: keccak256(raw) }, ...known.map(error)]) {
        const { use } = network({ first: () => reaction })
        assert.strictEqual(yield* use(send), keccak256(raw))
      }
      const { use } = network({ first: () => "refuse connection", second: () => error("already known") })
      assert.strictEqual(yield* use(send), keccak256(raw))
    })
  )

  it.effect("are rejected when the nodes say so, and say why", () =>
    Effect.gen(function* () {
      const reasons: Record<string, string> = {
        "nonce too low: next nonce 5, tx nonce 4": "NonceTooLow",
        OldNonce: "NonceTooLow",
        "replacement transaction underpriced": "ReplacementUnderpriced",
        "transaction underpriced": "Underpriced",
        "max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7": "FeeCapTooLow",
        "FeeTooLow, MaxFeePerGas too low": "FeeCapTooLow",
        "insufficient funds for gas * price + value: balance 0, tx cost 5": "InsufficientFunds",
        "InsufficientFunds, Account balance: 0, cumulative cost: 5": "InsufficientFunds",
        "Upfront cost exceeds account balance": "InsufficientFunds",
        "intrinsic gas too low": "Invalid",
        "exceeds block gas limit": "GasAboveBlock",
        "txpool is full": "PoolFull",
        "nonce too high": "NonceGap",
        "authority already reserved": "AuthorityBusy",
        "in-flight transaction limit reached for delegated accounts": "DelegatedSender",
        "invalid sender": "Invalid",
        "transaction type not supported": "Invalid",
        "rlp: expected input list for types.DynamicFeeTx": "Invalid"
      }
      for (const [message, reason] of Object.entries(reasons)) {
        const { use } = network({ first: () => error(message) })
        const failure = yield* Effect.flip(use(send))
        assert.strictEqual(failure._tag === "SendRejected" ? failure.reason : failure.message, reason, message)
      }
    })
  )

  it.effect("are unknown when nothing certain was said", () =>
    Effect.gen(function* () {
      const doubtful: ReadonlyArray<Reaction> = [
        "refuse connection",
        { status: 504, text: "" },
        { result: keccak256("0x00") },
        { result: null },
        error("internal error")
      ]
      for (const reaction of doubtful) {
        const { use } = network({ first: () => reaction })
        assert.strictEqual((yield* Effect.flip(use(send)))._tag, "ChainUnavailable")
      }
    })
  )

  it.effect("stay unknown when one node may have taken what another rejects", () =>
    Effect.gen(function* () {
      for (const nodes of [
        { first: () => "refuse connection" as const, second: () => error("insufficient funds for transfer") },
        { first: () => error("nonce too low"), second: () => "refuse connection" as const }
      ]) {
        const { use } = network(nodes)
        assert.strictEqual((yield* Effect.flip(use(send)))._tag, "ChainUnavailable")
      }
    })
  )

  it.effect("succeed at the second node when the first one lags behind", () =>
    Effect.gen(function* () {
      const { use } = network({ first: () => error("insufficient funds"), second: () => ({ result: keccak256(raw) }) })
      assert.strictEqual(yield* use(send), keccak256(raw))
    })
  )
})

describe("fee estimates", () => {
  const history = (result: unknown) => network({ first: () => ({ result }) }).use((client) => client.feesPerGas)

  it.effect("take the median tip that was paid", () =>
    Effect.gen(function* () {
      const fees = yield* history({
        baseFeePerGas: ["0x1", "0x64"],
        reward: [["0x3b9aca00"], ["0x0"], ["0x77359400"], ["0xb2d05e00"]]
      })
      assert.deepStrictEqual(fees, {
        baseFeePerGas: 100n,
        maxPriorityFeePerGas: 2_000_000_000n,
        maxFeePerGas: 2_000_000_200n
      })
    })
  )

  it.effect("offer a little where nobody paid anything", () =>
    Effect.gen(function* () {
      for (const reward of [[["0x0"]], [], null]) {
        const fees = yield* history({ baseFeePerGas: ["0x64"], reward })
        assert.strictEqual(fees.maxPriorityFeePerGas, 1_000_000n)
      }
    })
  )
})

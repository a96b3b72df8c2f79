/** Requests to nodes of the caller's: a silent node ends no promise late. */
import { privateKeyToAccount } from "viem/accounts"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as Sdk from "../../../src/sdk/index.ts"
import { stub } from "../StubFetch.ts"

const owner = privateKeyToAccount(`0x${"11".repeat(32)}`)
const HASH = `0x${"ab".repeat(32)}` as const

type Call = Parameters<Exclude<Sdk.Node, string>["request"]>[0]

/** A node that answers these methods, and is silent otherwise. */
const nodeOf = (answers: Partial<Record<Call["method"], unknown>>): Exclude<Sdk.Node, string> => ({
  request: ({ method }) => (method in answers ? Promise.resolve(answers[method]) : new Promise(() => undefined))
})

const silent = nodeOf({})

const { fetch } = stub([])
const sweeps = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch })

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("nothing was rejected"),
    (error: unknown) => error
  )

describe("a silent node", () => {
  it("ends a request at once when the caller gives up", async () => {
    const controller = new AbortController()
    const reason = new Error("enough")
    const asked = rejection(sweeps.delegation(owner.address, { chainId: 1, node: silent, signal: controller.signal }))
    controller.abort(reason)
    assert.strictEqual(await asked, reason)
  })

  it("does not delay the end of a revocation that waits for its transaction", async () => {
    const sender = { account: { address: HASH.slice(0, 42) as Sdk.Address }, sendTransaction: async () => HASH }
    const node = nodeOf({ eth_getTransactionCount: "0x1" })
    const revoked = rejection(sweeps.revokeDelegation({ owner, sender, chainId: 1, node, timeoutMillis: 50 }))
    const error = await revoked
    assert.instanceOf(error, Sdk.NodeError)
    assert.match(String(error), /eth_getTransactionReceipt/)
  })
})

/** A node that gives these answers in order, and the last one repeatedly. An error is a failed call. */
const nodeThat = (answers: Partial<Record<Call["method"], ReadonlyArray<unknown>>>): typeof silent => {
  const asked = new Map<string, number>()
  return {
    request: async ({ method }) => {
      const given = { eth_getTransactionCount: ["0x1"], eth_getTransactionReceipt: [{}], ...answers }[method] ?? ["0x"]
      const index = asked.get(method) ?? 0
      asked.set(method, index + 1)
      const answer = given[Math.min(index, given.length - 1)]
      if (answer instanceof Error) throw answer
      return answer
    }
  }
}

describe("a revocation that was sent", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
  afterEach(() => void vi.useRealTimers())

  const down = new Error("bad gateway")
  const delegated = `0xef0100${"22".repeat(20)}`

  /** Result of a revocation. Time passes until it ends. */
  const revoked = async (answers: Parameters<typeof nodeThat>[0], timeoutMillis = 10_000): Promise<unknown> => {
    const sender = { account: { address: HASH.slice(0, 42) as Sdk.Address }, sendTransaction: async () => HASH }
    const advancing = { done: false }
    const ended = sweeps
      .revokeDelegation({ owner, sender, chainId: 1, node: nodeThat(answers), timeoutMillis })
      .catch((error: unknown) => error)
      .finally(() => {
        advancing.done = true
      })
    while (!advancing.done) await vi.advanceTimersByTimeAsync(1_000)
    return ended
  }

  it("looks again after a failed look, for its block and for the code", async () => {
    assert.strictEqual(await revoked({ eth_getTransactionReceipt: [down, null, down, {}] }), HASH)
    assert.strictEqual(await revoked({ eth_getCode: [down, "0x"] }), HASH)
  })

  it("looks again at the code of a node that lags behind the receipt", async () => {
    assert.strictEqual(await revoked({ eth_getCode: [delegated, delegated, "0x"] }), HASH)
  })

  it("waits for the code for 15 seconds after its receipt, or until the timeout if that is sooner", async () => {
    for (const [timeoutMillis, receipts, seconds] of [
      [120_000, [{}], 15],
      [120_000, [...Array<null>(20).fill(null), {}], 35],
      [5_000, [{}], 5]
    ] as const) {
      const startedAt = Date.now()
      const answers = { eth_getTransactionReceipt: receipts, eth_getCode: [delegated] }
      assert.match(String(await revoked(answers, timeoutMillis)), /had no effect/)
      assert.approximately((Date.now() - startedAt) / 1_000, seconds, 1)
    }
    const late = [...Array<string>(14).fill(delegated), "0x"]
    assert.strictEqual(await revoked({ eth_getCode: late }, 120_000), HASH, "a node that lags behind")
  })

  it("names its transaction at the timeout, whatever failed", async () => {
    for (const [answers, message] of [
      [{ eth_getTransactionReceipt: [null, down] }, /was sent, its result is unknown: .*eth_getTransactionReceipt/],
      [{ eth_getTransactionReceipt: [down, null] }, /is not in a block yet/],
      [{ eth_getCode: [delegated] }, /had no effect/],
      [{ eth_getCode: [delegated, down] }, /was sent, its result is unknown: .*eth_getCode/]
    ] as const) {
      const error = await revoked(answers)
      assert.isTrue(error instanceof Sdk.NodeError, String(error))
      assert.match(String(error), message)
      assert.include(String(error), HASH)
    }
  })
})

describe("a revocation", () => {
  it("is refused with a timeout that is negative or no number, before anything is signed", async () => {
    const sender = {
      account: { address: HASH.slice(0, 42) as Sdk.Address },
      sendTransaction: () => assert.fail("it was sent")
    }
    for (const timeoutMillis of [Number.NaN, -1]) {
      const revoked = sweeps.revokeDelegation({ owner, sender, chainId: 1, node: nodeThat({}), timeoutMillis })
      assert.instanceOf(await rejection(revoked), Sdk.UsageError)
    }
  })

  it("whose transaction stays out of blocks names it", async () => {
    const sender = { account: { address: HASH.slice(0, 42) as Sdk.Address }, sendTransaction: async () => HASH }
    const answers = nodeOf({ eth_getTransactionCount: "0x1", eth_getTransactionReceipt: null })
    const node: typeof silent = {
      request: async (call) => {
        // As far as a real node.
        await new Promise((resolve) => setTimeout(resolve, 5))
        return answers.request(call)
      }
    }
    const error = await rejection(sweeps.revokeDelegation({ owner, sender, chainId: 1, node, timeoutMillis: 50 }))
    assert.match(String(error), new RegExp(`${HASH} is not in a block yet`))
  })
})

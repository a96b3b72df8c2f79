/** Requests to nodes of the caller's: a silent node ends no promise late. */
import { privateKeyToAccount } from "viem/accounts"
import { assert, describe, it } from "vitest"
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

describe("a revocation", () => {
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

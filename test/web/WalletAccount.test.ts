/** A browser wallet that changes its chain while a delegation is revoked. */
import { assert, describe, it } from "vitest"
import { NodeError } from "../../src/sdk/index.ts"
import { explain } from "../../src/web/sweep/explain.ts"
import { walletAccount } from "../../src/web/sweep/walletAccount.ts"

const OWNER = `0x${"9".repeat(40)}` as const
const HASH = `0x${"ab".repeat(32)}` as const

const AUTHORIZATION = { address: OWNER, chainId: 1, nonce: 8, r: "0x1", s: "0x2", yParity: 0 } as const

/** A wallet on this chain. It moves to the other one when it is asked for a receipt, if it is told to. */
const walletOn = async (first: number, moved = first) => {
  let current = first
  const asked: Array<{ readonly method: string; readonly params?: ReadonlyArray<unknown> }> = []
  const request = async (call: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) => {
    asked.push(call)
    if (call.method === "eth_getTransactionReceipt") current = moved
    return call.method === "eth_chainId" ? `0x${current.toString(16)}` : HASH
  }
  const info = { uuid: "a", name: "Wallet", icon: "", rdns: "test" }
  const account = await walletAccount({ info, provider: { request } }, OWNER)
  const sent = () => asked.filter(({ method }) => method === "eth_sendTransaction")
  return { account, sent }
}

const failureOf = (promise: Promise<unknown> | undefined): Promise<unknown> =>
  (promise ?? Promise.resolve()).then(
    () => undefined,
    (error: unknown) => error
  )

describe("a revocation by a browser wallet", () => {
  const send = { to: OWNER, authorizationList: [AUTHORIZATION] }

  it("names its chain", async () => {
    const { account, sent } = await walletOn(1)
    assert.strictEqual(await account.sender?.(1)?.sendTransaction(send), HASH)
    const [call] = sent()
    const [transaction] = call?.params ?? []
    assert.deepInclude(transaction, { chainId: "0x1", from: OWNER, to: OWNER, type: "0x4" })
  })

  it("is not asked for while the wallet is on another chain", async () => {
    const { account, sent } = await walletOn(5)
    const failure = await failureOf(account.sender?.(1)?.sendTransaction(send))
    assert.include(explain(failure), "it is on chain 5, not on chain 1")
    assert.include(explain(new NodeError("the revocation is not sent", failure)), "it is on chain 5, not on chain 1")
    assert.lengthOf(sent(), 0)
  })
})

describe("an answer of a browser wallet", () => {
  const ask = async (first: number, moved?: number) => {
    const { account } = await walletOn(first, moved)
    const node = account.node(1, 1)
    if (node === undefined || typeof node === "string") return assert.fail("no node")
    return node.request({ method: "eth_getTransactionReceipt", params: [HASH] })
  }

  it("counts if the wallet is on the chain that was meant", async () => {
    assert.strictEqual(await ask(1), HASH)
    assert.include(explain(await failureOf(ask(5))), "it is on chain 5")
    assert.include(explain(await failureOf(ask(1, 5))), "it is on chain 5")
  })
})

/** The sweep that a host's own page shows: its steps, and the ways out of them. */
import { assert, describe, it } from "vitest"
import type {
  BatchReview,
  Sweep,
  SweepAllOptions,
  SweepAllRequest,
  SweepClient,
  SweepSigner
} from "../../src/sdk/index.ts"
import { makeSweepStore, type SweepState } from "../../src/web/sweep/host/sweepStore.ts"

const OWNER = "0x00000000000000000000000000000000000000a1"
const request: SweepAllRequest = { owner: OWNER, token: OWNER, to: { chainId: 1 } }
const signer: SweepSigner = {
  address: OWNER,
  signTypedData: () => Promise.reject(new Error("not asked")),
  signAuthorization: () => Promise.reject(new Error("not asked"))
}
// The store only hands reviews and states on.
const review = { legs: [] } as unknown as BatchReview
const fewer = { legs: [], leftOut: [] } as unknown as BatchReview
const sweep = { id: "1", intents: [] } as unknown as Sweep

/** A client whose sweeps go on when the test says so. */
const scene = (signs: Promise<void> = Promise.resolve()) => {
  const asked: Array<SweepAllOptions> = []
  const ended = Promise.withResolvers<undefined>()
  const client: Pick<SweepClient, "sweepAll"> = {
    sweepAll: async (_request, _signer, options = {}) => {
      asked.push(options)
      const chosen = (await options.confirm?.(review)) ?? true
      if (chosen === false) return undefined
      options.signal?.throwIfAborted()
      await signs
      options.onEvent?.({ type: "signed", signed: { quoteIds: [], signature: "0x", authorizations: [] } })
      options.onEvent?.({ type: "submitted", accepted: { id: "1", intents: [] } })
      options.onEvent?.({ type: "progress", sweep })
      await ended.promise
      return { review: chosen === true ? review : chosen, sweep }
    }
  }
  const store = makeSweepStore(client)
  const seen: Array<SweepState> = []
  store.subscribe(() => seen.push(store.get()))
  return { asked, ended, seen, store }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

describe("the sweep of a host's page", () => {
  it("shows each step, and ends with the sweep", async () => {
    const { ended, seen, store } = scene()
    store.start({ request, signer })
    store.confirm(fewer)
    await settled()
    ended.resolve(undefined)
    await settled()
    assert.deepStrictEqual(seen, [
      { step: "quoting" },
      { step: "review", review },
      { step: "signing", review: fewer },
      { step: "following", review: fewer, sweep: undefined },
      { step: "following", review: fewer, sweep },
      { step: "ended", review: fewer, sweep }
    ])
  })

  it("signs every leg unless the page chooses", async () => {
    const { seen, store } = scene()
    store.start({ request, signer })
    store.confirm()
    await settled()
    assert.deepStrictEqual(seen[2], { step: "signing", review })
  })

  it("is given up by a reset, and sends nothing then", async () => {
    const { asked, seen, store } = scene()
    store.start({ request, signer })
    store.reset()
    await settled()
    assert.deepStrictEqual(seen.at(-1), { step: "idle" })
    assert.isTrue(asked[0]?.signal?.aborted)
    store.confirm()
    await settled()
    assert.deepStrictEqual(store.get(), { step: "idle" })
  })

  it("shows nothing more of a sweep that another replaced", async () => {
    const { asked, store } = scene()
    store.start({ request, signer })
    store.start({ request, signer })
    asked[0]?.onEvent?.({ type: "progress", sweep })
    assert.deepStrictEqual(store.get(), { step: "review", review })
    assert.deepStrictEqual(
      asked.map(({ signal }) => signal?.aborted),
      [true, false]
    )
  })

  it("shows the error of a sweep that stops", async () => {
    const { ended, store } = scene()
    store.start({ request, signer })
    store.confirm()
    ended.reject(new Error("lost"))
    await settled()
    const state = store.get()
    assert.strictEqual(state.step === "failed" ? String(state.error) : state.step, "Error: lost")
  })

  it("keeps the review of a sweep that stops after the signature, since it may still be executed", async () => {
    const { ended, store } = scene()
    store.start({ request, signer })
    store.confirm(fewer)
    await settled()
    const error = new Error("lost")
    ended.reject(error)
    await settled()
    assert.deepStrictEqual(store.get(), { step: "failed", error, review: fewer })
  })

  it("has no review of a sweep that the wallet did not sign", async () => {
    const error = new Error("refused")
    const { store } = scene(Promise.reject(error))
    store.start({ request, signer })
    store.confirm()
    await settled()
    assert.deepStrictEqual(store.get(), { step: "failed", error })
  })
})

import { assert, describe, it } from "@effect/vitest"
import { decisive, outcome } from "../../../../src/adapters/evm/chains/Refusals.ts"

/** Texts as the clients word them, values included, by client. */
const SAID: Record<string, ReadonlyArray<readonly [text: string, meaning: string]>> = {
  geth: [
    ["already known", "Known"],
    ["authority already reserved", "AuthorityBusy"],
    ["in-flight transaction limit reached for delegated accounts", "DelegatedSender"],
    ["gapped-nonce tx from delegated accounts", "DelegatedSender"],
    ["account limit exceeded: pooled 16 txs", "SenderFull"],
    ["replacement transaction underpriced", "ReplacementUnderpriced"],
    ["replacement transaction underpriced: new tx gas fee cap 1 <= 1 queued", "ReplacementUnderpriced"],
    ["future transaction tries to replace pending", "ReplacementUnderpriced"],
    ["transaction underpriced", "Underpriced"],
    ["transaction underpriced: gas tip cap 1, minimum needed 1000000", "Underpriced"],
    ["transaction gas price below minimum: gas tip cap 1, minimum needed 1000000", "Underpriced"],
    ["oversized data: transaction size 131073, limit 131072", "TooLarge"],
    ["nonce too low: next nonce 5, tx nonce 4", "NonceTooLow"],
    ["nonce too high", "NonceGap"],
    ["insufficient funds for gas * price + value: balance 0, tx cost 5, overshot 5", "InsufficientFunds"],
    [
      "insufficient funds for gas * price + value: balance 9, queued cost 5, tx cost 5, overshot 1",
      "InsufficientFunds"
    ],
    [
      "max fee per gas less than block base fee: address 0x0000000000000000000000000000000000000001, maxFeePerGas: 1, baseFee: 7",
      "FeeCapTooLow"
    ],
    ["exceeds block gas limit", "GasAboveBlock"],
    ["transaction gas limit too high (cap: 16777216, tx: 20000000)", "GasAboveBlock"],
    ["txpool is full", "PoolFull"],
    ["intrinsic gas too low: gas 20000, minimum needed 21000", "Invalid"],
    ["insufficient gas for floor data gas cost: gas 21000, minimum needed 90000", "Invalid"],
    ["max priority fee per gas higher than max fee per gas", "Invalid"],
    ["invalid sender: invalid chain id for signer: have 5 want 1", "Invalid"],
    ["transaction type not supported: tx type 4 not supported by this pool", "Invalid"],
    ["set code tx must have at least one authorization tuple", "Invalid"],
    ["rlp: expected input list for types.DynamicFeeTx", "Invalid"],
    ["tx fee (2.00 ether) exceeds the configured cap (1.00 ether)", "Invalid"]
  ],
  "op-geth, Bor and Nitro": [
    ["transaction underpriced: gas tip cap 1000000000, minimum needed 25000000000", "Underpriced"],
    ["insufficient funds for gas * price + value + data availability fee", "InsufficientFunds"],
    ["nonce too low: address 0x0000000000000000000000000000000000000001, tx: 3 state: 5", "NonceTooLow"],
    ["nonce too high: address 0x0000000000000000000000000000000000000001, tx: 9 state: 5", "NonceGap"],
    ["sequencer queue is full, please try again", "PoolFull"],
    ["oversized data", "TooLarge"]
  ],
  Nethermind: [
    ["AlreadyKnown", "Known"],
    ["delegation authority has pending transaction", "AuthorityBusy"],
    ["DelegatorHasPendingTx", "AuthorityBusy"],
    ["delegation nonce gap", "DelegatedSender"],
    ["NotCurrentNonceForDelegation", "DelegatedSender"],
    ["OldNonce, Current nonce: 5, nonce of rejected tx: 4", "NonceTooLow"],
    ["NonceGap, Future nonce. Expected nonce: 4", "NonceGap"],
    ["NonceTooFarInFuture", "NonceGap"],
    ["nonce too far in future", "NonceGap"],
    ["ReplacementNotAllowed", "ReplacementUnderpriced"],
    ["FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7", "FeeCapTooLow"],
    ["FeeTooLow, EffectivePriorityFeePerGas too low 1 < 7", "Underpriced"],
    ["FeeTooLowToCompete", "Underpriced"],
    ["InsufficientFunds, Account balance: 0, cumulative cost: 5", "InsufficientFunds"],
    ["GasLimitExceeded, Gas limit: 1000, gas limit of rejected tx: 2000", "GasAboveBlock"],
    ["gas limit reached", "GasAboveBlock"],
    ["MaxTxSizeExceeded, tx size 200000", "TooLarge"],
    ["transaction too large", "TooLarge"],
    ["Invalid, InvalidTxSignature: Signature is invalid.", "Invalid"],
    ["transaction invalid", "Invalid"],
    ["SenderIsContract", "Invalid"],
    ["unsupported transaction type", "Invalid"]
  ],
  Erigon: [
    ["already known", "Known"],
    ["existing txn with same hash", "Known"],
    ["existing tx with same hash", "Known"],
    ["EIP-7702 transaction with authority already reserved", "AuthorityBusy"],
    ["spammer", "SenderFull"],
    ["could not replace existing tx", "ReplacementUnderpriced"],
    ["replacement transaction underpriced", "ReplacementUnderpriced"],
    ["underpriced", "Underpriced"],
    ["fee too low", "Underpriced"],
    ["nonce too low", "NonceTooLow"],
    ["insufficient funds", "InsufficientFunds"],
    ["oversized data", "TooLarge"],
    ["RLPTooLong", "TooLarge"],
    ["gas limit is too high", "GasAboveBlock"],
    ["pending sub-pool is full", "PoolFull"],
    ["baseFee sub-pool is full", "PoolFull"],
    ["queued sub-pool is full", "PoolFull"],
    ["IntrinsicGas", "Invalid"],
    ["fork supporting this transaction type is not activated yet", "Invalid"],
    ["EIP-7702 transactions with an empty authorization list are invalid", "Invalid"]
  ],
  Reth: [
    ["already known", "Known"],
    ["authority already reserved", "AuthorityBusy"],
    ["in-flight transaction limit reached for delegated accounts", "DelegatedSender"],
    ["rejected due to 0x0000000000000000000000000000000000000001 being identified as a spammer", "SenderFull"],
    ["replacement transaction underpriced", "ReplacementUnderpriced"],
    ["insufficient gas price to replace existing transaction", "ReplacementUnderpriced"],
    ["transaction underpriced", "Underpriced"],
    ["transaction priority fee below minimum required priority fee 1000000", "Underpriced"],
    ["transaction feeCap 1 below chain minimum", "FeeCapTooLow"],
    ["transaction overdraws from account", "InsufficientFunds"],
    ["transaction's gas limit 40000000 exceeds block's gas limit 30000000", "GasAboveBlock"],
    ["exceeds block gas limit", "GasAboveBlock"],
    ["input data too large", "TooLarge"],
    ["txpool is full", "PoolFull"],
    ["transaction discarded outright due to pool size constraints", "PoolFull"],
    ["intrinsic gas too low", "Invalid"],
    ["no items in authorization list for EIP7702 transaction", "Invalid"]
  ],
  Besu: [
    ["Known transaction", "Known"],
    ["Nonce too low", "NonceTooLow"],
    ["Nonce too high", "NonceGap"],
    ["Transaction nonce is too distant from current sender nonce", "NonceGap"],
    ["An invalid transaction with a lower nonce exists", "NonceGap"],
    ["Replacement transaction underpriced", "ReplacementUnderpriced"],
    ["Gas price below configured minimum gas price", "Underpriced"],
    ["Gas price below current base fee", "FeeCapTooLow"],
    ["Upfront cost exceeds account balance", "InsufficientFunds"],
    ["Transaction gas limit exceeds block gas limit", "GasAboveBlock"],
    ["Intrinsic gas exceeds gas limit", "Invalid"],
    ["Invalid signature", "Invalid"],
    ["Invalid transaction type", "Invalid"],
    ["Wrong chainId", "Invalid"],
    ["Max priority fee per gas exceeds max fee per gas", "Invalid"],
    ["Transaction fee cap exceeded", "Invalid"]
  ],
  "anvil and EDR": [
    ["transaction already imported", "Known"],
    ["Known transaction: 0x01", "Known"],
    ["Nonce too low. Expected nonce to be 1 but got 0.", "NonceTooLow"],
    [
      "Nonce too high. Expected nonce to be 0 but got 5. Note that transactions can't be queued when automining.",
      "NonceGap"
    ],
    [
      "Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 1100000000 is necessary to replace the existing transaction with nonce 0.",
      "ReplacementUnderpriced"
    ],
    [
      "Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 875000000",
      "FeeCapTooLow"
    ],
    [
      "Sender doesn't have enough funds to send tx. The max upfront cost is: 5 and the sender's balance is: 0.",
      "InsufficientFunds"
    ],
    ["Transaction gas limit is 40000000 and exceeds block gas limit of 30000000", "GasAboveBlock"]
  ]
}

describe("a refusal", () => {
  for (const [client, texts] of Object.entries(SAID)) {
    it(`of ${client} has one meaning`, () => {
      for (const [text, meaning] of texts) {
        const said = outcome({ code: -32_000, text })
        assert.strictEqual(said?._tag === "Rejected" ? said.reason : said?._tag, meaning, text)
      }
    })
  }

  it("without a known text decides nothing", () => {
    for (const text of ["internal error", "execution timeout", "missing trie node", "too many requests", ""]) {
      assert.isUndefined(outcome({ code: -32_000, text }), text)
    }
  })

  it("by a revert decides nothing, since a contract chooses its text", () => {
    assert.isUndefined(outcome({ code: -32_000, text: "execution reverted: nonce too low" }))
    assert.isUndefined(outcome({ code: 3, text: "nonce too low" }))
  })

  it("of the most decisive reason counts, and the first of equal ones", () => {
    const refusals = [{ reason: "PoolFull" }, { reason: "Underpriced" }, { reason: "AuthorityBusy" }] as const
    assert.deepStrictEqual(decisive(refusals), { reason: "AuthorityBusy" })
    assert.deepStrictEqual(decisive([...refusals, { reason: "NonceTooLow" }]), { reason: "NonceTooLow" })
    assert.deepStrictEqual(decisive(refusals.slice(0, 2)), { reason: "PoolFull" })
    assert.isUndefined(decisive([]))
  })
})

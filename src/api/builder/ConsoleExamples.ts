/** Example messages of the admin console, by endpoint. The linter holds them to their schemas. */

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const vaultTransfer = `0x${"ab".repeat(32)}`
const sweepId = `0x${"cd".repeat(32)}_3`
const batchId = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
const createdAtMs = 1767225600000
const chainId = 8453

const account = {
  id: "acme",
  name: "Acme",
  builderBps: 10,
  maxBuilderBps: 50,
  payoutAddress: wallet,
  payoutMode: "ledger",

  createdAtMs
}

const registration = { id: "acme", name: "Acme", builderBps: 10, maxBuilderBps: 50, payoutAddress: wallet }

const open = {
  id: batchId,
  chainId,
  token,
  status: "open",
  minAmount: "1000000",
  total: "125000000",
  lines: [{ builderId: "acme", payoutAddress: wallet, amount: "125000000", entries: 42 }],
  createdAtMs
}

const closedAtMs = createdAtMs + 600_000

const sums = { earned: "250000000", paid: "125000000", owed: "125000000", claimed: "100000000", unclaimed: "25000000" }

const ok = (body: unknown) => ({ response: { status: 200, body } })
const created = (body: unknown) => ({ response: { status: 201, body } })

export const builders = ok({ builders: [account] })

export const registerBuilder = {
  request: registration,
  ...created({
    builder: { ...registration, createdAtMs },
    apiKey: `swp_${"0123456789abcdef".repeat(4)}`
  })
}

export const builder = ok({
  builder: account,
  apiKey: { prefix: "swp_01234567", createdAtMs, lastUsedAtMs: createdAtMs }
})

export const patchBuilder = { request: { builderBps: 20, payoutMode: "ledger" }, ...ok({ ...account, builderBps: 20 }) }

export const builderAccruals = ok({ builderId: "acme", totals: [{ chainId, token, ...sums }] })

export const builderEntries = ok({
  entries: [
    { id: "17", kind: "accrual", builderId: "acme", chainId, token, earned: "125000", paid: "0", sweepId, createdAtMs }
  ]
})

export const reverseAccrual = {
  request: { sweepId, reason: "removed by a reorganisation" },
  ...ok({ booked: "added" })
}

export const assignAccruals = { request: { token, chainId }, ...ok({ sweeps: 42, amount: "125000000" }) }

export const payouts = ok({ payouts: [open] })

const leftOut = [
  {
    builderId: "globex",
    payoutAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    amount: "7000000",
    reason: "suspended"
  },
  {
    builderId: "initech",
    payoutAddress: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    amount: "3000000",
    reason: "excluded"
  }
]

export const openPayout = {
  request: { chainId, token, minAmount: "1000000", exclude: ["initech"] },
  ...created({ ...open, leftOut })
}

export const payout = ok(open)

export const payoutSafe = ok({
  version: "1.0",
  chainId: String(chainId),
  createdAt: createdAtMs,
  meta: { name: `Payout ${batchId}` },
  transactions: [
    {
      to: token,
      value: "0",
      contractMethod: {
        name: "transfer",
        payable: false,
        inputs: [
          { name: "to", type: "address", internalType: "address" },
          { name: "value", type: "uint256", internalType: "uint256" }
        ]
      },
      contractInputsValues: { to: wallet, value: "125000000" }
    }
  ]
})

export const recordPayment = { request: { raw: "0x02f8b1", known: 0 }, ...created(open) }

export const markPayoutPaid = {
  request: { txHash: vaultTransfer },
  ...ok({ ...open, status: "paid", closedAtMs, txHash: vaultTransfer })
}

export const failPayout = {
  request: { reason: "the vault was short" },
  ...ok({ ...open, status: "failed", closedAtMs, failureReason: "the vault was short" })
}

export const revenue = ok({ days: [{ day: "2026-01-01", chainId, token, amount: "62500", sweeps: 1 }] })

export const treasury = ok({ positions: [{ chainId, token, ...sums, vaultBalance: "125000000" }] })

export const audit = ok({
  records: [
    {
      id: "3",
      atMs: createdAtMs,
      actor: "ops@example.com",
      action: "builder.patch",
      subject: "acme",
      details: { builderBps: 20 }
    }
  ]
})

export const alerts = ok([
  {
    id: "1",
    key: `accrual_conflict:${sweepId}`,
    severity: "critical",
    kind: "accrual_conflict",
    message: "A settlement was reported again with other content.",
    sinceMs: createdAtMs,
    details: { sweepId }
  }
])

export const clearAlert = { request: { key: `accrual_conflict:${sweepId}` }, ...ok({ ok: true }) }

export const payoutCsv = {
  response: {
    status: 200,
    contentType: "text/csv; charset=utf-8",
    body: `batch_id,chain_id,token,builder_id,payout_address,amount\r\n${batchId},${chainId},${token},acme,${wallet},125000000\r\n`
  }
}

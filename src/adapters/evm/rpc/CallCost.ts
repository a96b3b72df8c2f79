/**
 * Compute units of a call, for endpoints with a limit of them. The numbers are those that Alchemy publishes, rounded up. Other
 * providers' differ by a factor, which an operator can apply to the limit.
 */
import type { Cost } from "./Budget.ts"
import type { Call } from "./JsonRpc.ts"

const COMPUTE_UNITS: Readonly<Record<string, number>> = {
  eth_call: 26,
  eth_chainId: 0,
  eth_estimateGas: 20,
  eth_feeHistory: 10,
  eth_getLogs: 60,
  eth_sendRawTransaction: 40
}

/** All other methods. */
const OTHER_COMPUTE_UNITS = 20

const unitsOf = (method: string): number => COMPUTE_UNITS[method] ?? OTHER_COMPUTE_UNITS

const costs = new Map<string, Cost>()

/** Cost of one call. */
export const ofMethod = (method: string): Cost => {
  const known = costs.get(method)
  if (known !== undefined) return known
  const cost = { requests: 1, computeUnits: unitsOf(method) }
  costs.set(method, cost)
  return cost
}

/** Cost of several calls, also if they share a request: providers count each. */
export const ofCalls = (calls: ReadonlyArray<Pick<Call, "method">>): Cost => ({
  requests: calls.length,
  computeUnits: calls.reduce((sum, { method }) => sum + unitsOf(method), 0)
})

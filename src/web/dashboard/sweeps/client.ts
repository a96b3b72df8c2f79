/** API client of builders' sweeps. */
import type { MySweeps } from "../../../api/builder/SweepsApi.ts"
import { callerOf, callsOf } from "../../api/backend.ts"

export const client = {
  sweeps: callsOf<typeof MySweeps>()({
    sweeps: ["GET /me/sweeps", { amountIn: true, builderFee: true, minAmountOut: true }],
    sweep: ["GET /me/sweeps/:id", { amount: true, amountIn: true, builderFee: true, minAmountOut: true }],
    overview: ["GET /me/overview", { amount: true }]
  })
}

export const call = callerOf(client)

/** API client of the builders' pages. */
import type { Auth, Me, SelfSignup } from "../../api/builder/AccountApi.ts"
import type { DeploymentGroup } from "../../api/builder/DeploymentApi.ts"
import { callerOf, callsOf } from "./backend.ts"

export const client = {
  auth: callsOf<typeof Auth>()({
    nonce: "GET /auth/nonce",
    verify: "POST /auth/verify",
    logout: "POST /auth/logout"
  }),
  signup: callsOf<typeof SelfSignup>()({ signUp: "POST /builders/self" }),
  me: callsOf<typeof Me>()({
    me: "GET /me",
    accruals: ["GET /me/accruals", { amount: true }],
    activity: ["GET /me/activity", { amount: true }],
    money: ["GET /me/money", { earned: true, earnedUnpriced: true, owed: true, paid: true, paidUnpriced: true }],
    rotateApiKey: "POST /me/apikey/rotate"
  }),
  deployment: callsOf<typeof DeploymentGroup>()({ deployment: "GET /deployment" })
}

export const call = callerOf(client)

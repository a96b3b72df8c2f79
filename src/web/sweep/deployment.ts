/**
 * Public facts of the deployment that serves this page. They come from the page's own origin, as its script does, so a review may rest on
 * them as on the script. The contract's generated client is not used: its code is larger than the page.
 */
import type { DeploymentView } from "../../api/builder/DeploymentApi.ts"
import { baseUrl } from "../api/baseUrl.ts"
import { DeploymentUnavailable } from "./DeploymentUnavailable.ts"

const isView = (body: unknown): body is DeploymentView =>
  typeof body === "object" && body !== null && "chains" in body && Array.isArray(body.chains)

export const readDeployment = async (signal: AbortSignal): Promise<DeploymentView> => {
  try {
    const response = await fetch(new URL("/deployment", baseUrl), { signal })
    const body: unknown = await response.json()
    if (response.ok && isView(body)) return body
  } catch (cause) {
    throw new DeploymentUnavailable("the deployment cannot be reached", { cause })
  }
  throw new DeploymentUnavailable("the deployment answered with something unexpected")
}

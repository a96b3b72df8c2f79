/** The deployment did not answer, or not with its facts. Apart from the request, which needs a document. */
export class DeploymentUnavailable extends Error {
  override readonly name = "DeploymentUnavailable"
}

/** Instructions for receiving webhooks: the format of a request, code that verifies it, and links. */
import { baseUrl } from "../../api/baseUrl.ts"
import { Card } from "../../ui/Card.tsx"
import { CopyButton } from "../../ui/Copy.tsx"
import { buttonClasses } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"

const CODE = `import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET)

export const POST = async (request) => {
  const body = await request.text()
  // Throws unless the signature is ours and recent.
  const { type, data } = webhook.verify(body, Object.fromEntries(request.headers))
  // Messages can come twice, and in any order: keep the webhook-id with what you do.
  await queue.add(request.headers.get("webhook-id"), { type, data })
  // Any 2xx within 15 seconds; anything else is tried again.
  return new Response(null, { status: 204 })
}`

const LINK = "text-accent underline underline-offset-2"

export function ReceiverCard() {
  return (
    <Card
      actions={
        <a className={buttonClasses("secondary", true)} href={`${baseUrl}/docs`} rel="noreferrer" target="_blank">
          <Icon name="book" />
          API reference
        </a>
      }
      flush
      title="Receive them"
    >
      <div className="border-b border-line p-4 text-muted sm:px-5">
        <p className="max-w-[70ch]">
          Each message is a POST that is signed as{" "}
          <a className={LINK} href="https://www.standardwebhooks.com" rel="noreferrer" target="_blank">
            Standard Webhooks
          </a>{" "}
          asks, so that its libraries verify it in most languages. The guide{" "}
          <code className="font-mono text-sm text-ink">docs/reference/webhooks.md</code> says what arrives, and has a
          receiver without a library.
        </p>
      </div>
      <div className="relative">
        <div className="absolute top-3 right-3">
          <CopyButton text={CODE} />
        </div>
        <pre
          aria-label="Code of a receiver"
          className="overflow-x-auto p-4 pt-14 font-mono text-sm sm:p-5"
          role="region"
          tabIndex={0}
        >
          {CODE}
        </pre>
      </div>
    </Card>
  )
}

const example = {
  reservationId: '6740b1f2c3d4e5f607182940',
  installmentId: 'installment-1',
  chequeStatus: 'collected',
};

/** Signs in the browser, so that the secret leaves it only as a signature. */
export function SignCallback() {
  return (
    <>
      <h1>Sign a callback</h1>
      <p>
        A signed key of a cheque collector has a secret, <code>whsec_…</code>. This page computes
        the three headers of a signed callback as{' '}
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a> describes. The secret stays
        in this page. The <a href="guides/cheque-collector">guide</a> has a complete program.
      </p>
      <form id="callback">
        <Field name="key" label="API key" placeholder="iapi_…" />
        <Field name="secret" label="Signing secret" placeholder="whsec_…" />
        <p>
          <label for="id">Message id, the same in each retry</label>
          <input id="id" name="id" required maxLength={255} autocomplete="off" />
        </p>
        <p>
          <label for="body">Body</label>
          <textarea id="body" name="body" rows={6} required dir="ltr">
            {JSON.stringify(example, null, 2)}
          </textarea>
        </p>
        <p>
          <button name="sign">Sign</button> <button name="send">Sign and send</button>
        </p>
      </form>
      <noscript>
        <p>This page needs JavaScript to sign.</p>
      </noscript>
      <div id="signed" hidden>
        <h2>Request</h2>
        <pre tabIndex={0}>
          <code id="curl" />
        </pre>
      </div>
      <div id="sent" hidden>
        <h2>Response</h2>
        <pre tabIndex={0}>
          <code id="response" />
        </pre>
      </div>
      <p role="status" id="problem" />
    </>
  );
}

function Field({ name, label, placeholder }: Record<'name' | 'label' | 'placeholder', string>) {
  return (
    <p>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="password"
        required
        placeholder={placeholder}
        autocomplete="off"
      />
    </p>
  );
}

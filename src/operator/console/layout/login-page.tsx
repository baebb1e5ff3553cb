import type { TextKey, Translate } from '../texts/text.js';
import { consolePath } from './layout.js';

/** What the form of the login is made for. */
export interface LoginForm {
  readonly text: Translate;
  /** Where to go afterwards, below `/console`. */
  readonly next: string;
  /** What was wrong with the last try. */
  readonly problem?: TextKey;
}

/** The one page that is for everybody. */
export function LoginPage({ text, next, problem }: LoginForm) {
  return (
    <form method="post" action={`${consolePath}/login`} class="login">
      {problem !== undefined && (
        <p class="problem" role="alert" id="problem">
          {text(problem)}
        </p>
      )}
      <input type="hidden" name="next" value={next} />
      <label for="password">{text('login.password')}</label>
      <input
        id="password"
        type="password"
        name="password"
        autocomplete="current-password"
        required
        maxLength={256}
        aria-describedby={problem === undefined ? undefined : 'problem'}
        aria-invalid={problem === undefined ? undefined : 'true'}
      />
      <button type="submit">{text('login.submit')}</button>
    </form>
  );
}

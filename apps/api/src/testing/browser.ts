import type { Readable, Writable } from 'node:stream';
import { startChromium } from './chromium.js';

type Parameters = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly params?: any;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly result?: any;
  readonly error?: { readonly message: string };
}

/** Content and activity of a page while it was open. */
export interface OpenedPage {
  /** Visible text. */
  readonly text: string;
  /** Width of the content in pixels. */
  readonly width: number;
  /** Value that the last script returned. */
  readonly value: unknown;
  readonly requestedUrls: readonly string[];
  /** Errors and warnings of the console and the network, and uncaught exceptions. */
  readonly problems: readonly string[];
}

/** Chromium without a window, controlled over pipes by the DevTools protocol. */
export class Browser {
  private readonly answers = new Map<number, (message: Message) => void>();
  private listeners: ((message: Message) => void)[] = [];
  private lastId = 0;

  private constructor(
    private readonly commands: Writable,
    events: Readable,
    readonly close: () => Promise<void>,
  ) {
    let received = '';
    events.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (received + chunk).split('\0');
      received = messages.pop() ?? '';
      for (const text of messages) this.receive(JSON.parse(text) as Message);
    });
  }

  /** Throws when no Chromium is installed. */
  static async open(): Promise<Browser> {
    const { commands, events, close } = await startChromium(['--remote-debugging-pipe']);
    return new Browser(commands, events, close);
  }

  /**
   * Opens the page and waits up to 20 seconds until `expectedText` is visible. Then runs the scripts, which are bodies of
   * async functions, and reloads the page between them.
   */
  async visit(url: string, width: number, expectedText: string, ...scripts: readonly string[]): Promise<OpenedPage> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const call = (method: string, parameters: Parameters = {}) => this.send(method, parameters, sessionId as string);
    const requestedUrls: string[] = [];
    const problems: string[] = [];
    const onMessage = (message: Message): void => {
      if (message.sessionId !== sessionId) return;
      if (message.method === 'Network.requestWillBeSent') requestedUrls.push(message.params.request.url);
      const problem = problemOf(message);
      if (problem !== undefined) problems.push(problem);
    };
    this.listeners.push(onMessage);
    for (const domain of ['Network', 'Page', 'Runtime', 'Log']) await call(`${domain}.enable`);
    const size = { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 };
    await call('Emulation.setDeviceMetricsOverride', size);
    const evaluate = async (expression: string) =>
      (await call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result.value;
    const readText = async (): Promise<string> => {
      const deadline = Date.now() + 20_000;
      let visibleText = '';
      while (!visibleText.includes(expectedText) && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        visibleText = (await evaluate('document.body?.innerText ?? ""')) as string;
      }
      return visibleText;
    };
    await call('Page.navigate', { url });
    let text = await readText();
    let value: unknown;
    for (const [index, script] of scripts.entries()) {
      if (index > 0) {
        const loaded = this.nextEvent('Page.loadEventFired', sessionId as string);
        await call('Page.reload');
        await loaded;
        text = await readText();
      }
      value = await evaluate(`(async () => { ${script} })()`);
    }
    const contentWidth = (await evaluate('document.documentElement.scrollWidth')) as number;
    this.listeners = this.listeners.filter((listener) => listener !== onMessage);
    await this.send('Target.closeTarget', { targetId });
    return { text, width: contentWidth, value, requestedUrls, problems };
  }

  private nextEvent(method: string, sessionId: string): Promise<void> {
    return new Promise((resolve) => {
      const onMessage = (message: Message): void => {
        if (message.method !== method || message.sessionId !== sessionId) return;
        this.listeners = this.listeners.filter((listener) => listener !== onMessage);
        resolve();
      };
      this.listeners.push(onMessage);
    });
  }

  // eslint-disable-next-line typescript/no-explicit-any
  private send(method: string, params: Parameters, sessionId?: string): Promise<any> {
    this.lastId += 1;
    const id = this.lastId;
    this.commands.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => {
      this.answers.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
    });
  }

  private receive(message: Message): void {
    if (message.id === undefined) return this.listeners.forEach((listener) => listener(message));
    this.answers.get(message.id)?.(message);
    this.answers.delete(message.id);
  }
}

function problemOf({ method, params }: Message): string | undefined {
  if (method === 'Runtime.exceptionThrown') return String(params.exceptionDetails.exception?.description);
  if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type))
    return JSON.stringify(params.args);
  if (method === 'Log.entryAdded' && params.entry.level === 'error') return `${params.entry.text} ${params.entry.url}`;
  return undefined;
}

const { readFileSync } = require('node:fs');

/**
 * Takes the place of curl on machines without it: the options that this repository's scripts and documentation use. Exit
 * statuses are those of curl(1).
 */
const EXIT = { unknownOption: 2, noConnection: 7, httpError: 22 };

main(process.argv.slice(2));

function main(args) {
  const options = parse(args);
  if (!options) {
    process.exitCode = EXIT.unknownOption;
    return;
  }
  send(options).catch((error) => {
    process.stderr.write(`curl: ${error.cause?.message ?? error.message}\n`);
    process.exitCode = EXIT.noConnection;
  });
}

function parse(args) {
  const options = { url: '', method: undefined, headers: {}, body: undefined, fail: false };
  const rest = [...args];
  while (rest.length > 0) {
    const arg = rest.shift();
    if (arg === '-s' || arg === '--silent' || arg === '--show-error') continue;
    if (arg === '-f' || arg === '--fail') options.fail = true;
    else if (arg === '-X' || arg === '--request') options.method = rest.shift();
    else if (arg === '-H' || arg === '--header') addHeader(options.headers, rest.shift());
    else if (arg === '-d' || arg === '--data-binary') options.body = readData(rest.shift());
    else if (arg === '--config' && rest.shift() === '-') addUser(options.headers, readFileSync(0, 'utf8'));
    else if (/^https?:/.test(arg)) options.url = arg;
    else {
      process.stderr.write(`curl: the stand-in does not know ${arg}\n`);
      return undefined;
    }
  }
  return options;
}

function addHeader(headers, line = '') {
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
  headers[name] = value;
}

/** The line `user = "NAME:PASSWORD"` of a configuration file of curl. */
function addUser(headers, config) {
  const [, user] = /^user = "(.*)"$/m.exec(config) ?? [];
  if (user !== undefined) headers.authorization = `Basic ${Buffer.from(user).toString('base64')}`;
}

function readData(data = '') {
  return data.startsWith('@') ? readFileSync(data.slice(1)) : data;
}

async function send({ url, method, headers, body, fail }) {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
    body,
  });
  const text = await response.text();
  if (fail && !response.ok) {
    process.stderr.write(`curl: the server responds with ${response.status}\n`);
    process.exitCode = EXIT.httpError;
    return;
  }
  process.stdout.write(text);
}

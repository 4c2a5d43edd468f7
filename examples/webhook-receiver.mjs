import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // in your database, in the transaction of the change

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  let event;
  try {
    event = webhook.verify(body, request.headers);
  } catch {
    return response.writeHead(400).end();
  }
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    seen.add(id);
    if (event.type === 'account.deleted') console.log(`delete the data of ${event.data.account.id}`);
    else console.log(`${event.type} ${event.data.account.id}`);
  }
  return response.writeHead(204).end();
}).listen(process.env.PORT ?? 9000, '127.0.0.1');

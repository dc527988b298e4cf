/*
 * What is asked for, published and consumed.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);
LINK_LANG(java);
LINK_LANG(javascript);
LINK_LANG(kotlin);
LINK_LANG(python);

static void
javascript_asks_for_urls(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.ts", "import axios from 'axios';\n"
                       "const CART = 'http://cart:8080';\n"
                       "const api = axios.create({ baseURL: CART + '/api' });\n"
                       "export async function load(id: string) {\n"
                       "  await fetch(`${CART}/carts/${id}?full=1`);\n"
                       "  await fetch('/local', { method: 'post' });\n"
                       "  await axios.get('http://users/u/' + id);\n"
                       "  await api.delete(`/carts/${id}`);\n"
                       "  await axios({ url: 'https://pay/charge', "
                       "method: 'POST' });\n"
                       "  await fetch(`${process.env.ADS}/ads`);\n"
                       "  await fetch(id);\n"
                       "  await fetch(`${id}://host/tail/x`);\n"
                       "  await fetch(`${id}/${id}`);\n"
                       "}\n"
                       "const m = new Map();\n"
                       "m.get('/no');\n"}),
        "GET http://cart:8080/carts/{} -> /carts/{} http load a.ts:5 asked\n"
        "POST /local -> /local http load a.ts:6 asked\n"
        "GET http://users/u/{} -> /u/{} http load a.ts:7 asked\n"
        "DELETE http://cart:8080/api/carts/{} -> /api/carts/{} http load "
        "a.ts:8 asked\n"
        "POST https://pay/charge -> /charge http load a.ts:9 asked\n"
        "GET /ads -> /ads http load a.ts:10 tail asked\n"
        "GET /tail/x -> /tail/x http load a.ts:12 tail asked\n");
}

static void
python_go_and_java_ask_for_urls(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.py", "import requests\n"
                       "import httpx\n"
                       "def load(id):\n"
                       "    requests.get(f'http://users/u/{id}')\n"
                       "    s = requests.Session()\n"
                       "    s.put('http://users/u')\n"
                       "    requests.request('PATCH', 'http://users/p')\n"
                       "    with httpx.Client(base_url='http://c') as c:\n"
                       "        c.post('/carts')\n"
                       "    {}.get('/no')\n"},
              {"a.go", "package a\n"
                       "import (\n"
                       "  \"fmt\"\n"
                       "  \"net/http\"\n"
                       ")\n"
                       "func load(id string) {\n"
                       "  http.Get(fmt.Sprintf(\"http://cart/c/%s\", id))\n"
                       "  r, _ := http.NewRequest(http.MethodPut, "
                       "\"http://cart/x\", nil)\n"
                       "  _ = r\n"
                       "}\n"},
              {"A.java",
               "import org.springframework.web.client.RestTemplate;\n"
               "class A {\n"
               "  private RestTemplate rest;\n"
               "  void load(String id) {\n"
               "    rest.getForObject(\"http://ts-user-service/u/\" + id, "
               "String.class);\n"
               "    rest.exchange(\"http://b/x\", HttpMethod.POST, null, "
               "String.class);\n"
               "  }\n"
               "}\n"}),
        "GET http://users/u/{} -> /u/{} http load a.py:4 asked\n"
        "PUT http://users/u -> /u http load a.py:6 asked\n"
        "PATCH http://users/p -> /p http load a.py:7 asked\n"
        "POST http://c/carts -> /carts http load a.py:9 asked\n"
        "GET http://cart/c/{} -> /c/{} http load a.go:7 asked\n"
        "PUT http://cart/x -> /x http load a.go:8 asked\n"
        "GET http://ts-user-service/u/{} -> /u/{} http load A.java:5 asked\n"
        "POST http://b/x -> /x http load A.java:6 asked\n");
}

static void
topics_are_named_as_spans_name_them(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.js", "const { Kafka } = require('kafkajs');\n"
                       "const amqp = require('amqplib');\n"
                       "const kafka = new Kafka({});\n"
                       "const producer = kafka.producer();\n"
                       "async function place() {\n"
                       "  await producer.send({ topic: 'orders', "
                       "messages: [] });\n"
                       "}\n"
                       "async function listen() {\n"
                       "  const consumer = kafka.consumer({});\n"
                       "  await consumer.subscribe({ topics: ['orders', "
                       "'bills'] });\n"
                       "  const conn = await amqp.connect('amqp://x');\n"
                       "  const ch = await conn.createChannel();\n"
                       "  ch.sendToQueue('jobs', b);\n"
                       "  ch.consume('jobs', work);\n"
                       "}\n"
                       "function work(m) {}\n"
                       "emitter.send({ topic: 'no' });\n"},
              {"a.py", "from confluent_kafka import Producer, Consumer\n"
                       "import pika\n"
                       "p = Producer({})\n"
                       "def out():\n"
                       "    p.produce('orders', b'x')\n"
                       "def take():\n"
                       "    c = Consumer({})\n"
                       "    c.subscribe(['orders'])\n"
                       "    conn = pika.BlockingConnection()\n"
                       "    ch = conn.channel()\n"
                       "    ch.basic_publish(exchange='', "
                       "routing_key='jobs', body='')\n"
                       "    ch.basic_consume(queue='jobs', "
                       "on_message_callback=done)\n"
                       "def done(ch, m, p, b):\n"
                       "    pass\n"},
              {"a.go", "package a\n"
                       "import \"github.com/IBM/sarama\"\n"
                       "func Out() {\n"
                       "  m := &sarama.ProducerMessage{Topic: \"orders\"}\n"
                       "  _ = m\n"
                       "}\n"},
              {"A.java",
               "import org.springframework.kafka.annotation.KafkaListener;\n"
               "import org.springframework.kafka.core.KafkaTemplate;\n"
               "class A {\n"
               "  private KafkaTemplate<String, String> kafka;\n"
               "  void out() { kafka.send(\"orders\", \"x\"); }\n"
               "  @KafkaListener(topics = {\"orders\", \"bills\"})\n"
               "  void in(String m) {}\n"
               "  @KafkaListener(topics = {\"${a.topic:orders}\", "
               "\"#{b}\"})\n"
               "  void set(String m) {}\n"
               "}\n"}),
        "orders -> kafka:orders kafka place a.js:6 asked\n"
        "orders -> kafka:orders kafka listen a.js:10\n"
        "bills -> kafka:bills kafka listen a.js:10\n"
        "jobs -> rabbitmq:jobs rabbitmq listen a.js:13 asked\n"
        "jobs -> rabbitmq:jobs rabbitmq work a.js:14\n"
        "orders -> kafka:orders kafka out a.py:5 asked\n"
        "orders -> kafka:orders kafka take a.py:8\n"
        "jobs -> rabbitmq:jobs rabbitmq take a.py:11 asked\n"
        "jobs -> rabbitmq:jobs rabbitmq done a.py:12\n"
        "orders -> kafka:orders kafka Out a.go:4 asked\n"
        "orders -> kafka:orders kafka out A.java:5 asked\n"
        "orders -> kafka:orders kafka in A.java:6\n"
        "bills -> kafka:bills kafka in A.java:6\n");
}

/* Where it is observed nothing else is left of it. */
static void
a_topic_is_named_without_its_secrets(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.py", "from confluent_kafka import Producer\n"
                       "p = Producer({})\n"
                       "def out():\n"
                       "    p.produce('q?sig=Zk93hBq02LmX', b'x')\n"}),
        "q?sig=Zk93hBq02LmX -> kafka:q?{} kafka out a.py:4 "
        "asked\n");
}

/* What holds annotations, of Java and of Kotlin. */
static void
listeners_are_held_by_containers(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.java",
               "import org.springframework.kafka.annotation.*;\n"
               "class A {\n"
               "  @KafkaListeners({@KafkaListener(topics = \"a\"),\n"
               "                   @KafkaListener(topics = {\"b\", \"c\"})})\n"
               "  void many(String m) {}\n"
               "  @KafkaListeners(@KafkaListener(topics = \"d\"))\n"
               "  void one(String m) {}\n"
               "  @Others({@KafkaListener(topics = \"e\")})\n"
               "  void other(String m) {}\n"
               "}\n"},
              {"B.kt",
               "import org.springframework.jms.annotation.JmsListener\n"
               "import org.springframework.jms.annotation.JmsListeners\n"
               "class B {\n"
               "  @JmsListeners(JmsListener(destination = \"f\"),\n"
               "                JmsListener(destination = \"g\"))\n"
               "  fun many(m: String) {}\n"
               "  @JmsListeners(value = [JmsListener("
               "destination = \"h\")])\n"
               "  fun one(m: String) {}\n"
               "}\n"}),
        "a -> kafka:a kafka many A.java:3\n"
        "b -> kafka:b kafka many A.java:4\n"
        "c -> kafka:c kafka many A.java:4\n"
        "d -> kafka:d kafka one A.java:6\n"
        "f -> jms:f jms many B.kt:4\n"
        "g -> jms:g jms many B.kt:5\n"
        "h -> jms:h jms one B.kt:7\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(javascript_asks_for_urls),
        cmocka_unit_test(python_go_and_java_ask_for_urls),
        cmocka_unit_test(topics_are_named_as_spans_name_them),
        cmocka_unit_test(listeners_are_held_by_containers),
        cmocka_unit_test(a_topic_is_named_without_its_secrets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
